import { builtInRoles } from '../access/built-in-roles.ts'
import type { AccessModels } from '../access/access-models.ts'
import { seedRoles } from '../access/seed-roles.ts'
import type { AssembledPlugins, PluginParts } from './assemble-plugins.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Authorize } from '../access/decisions/authorize.ts'
import type { SealingKey } from '../config/sealing-keys.ts'
import { openRevocations } from '../credentials/revocations.ts'
import type { Feed } from '../feed/feed.ts'
import { createDefinitionModel } from '../models/definition/definition-model.ts'
import { followDefinitions } from '../models/definition/follow-definitions.ts'
import { createIndexBuilder } from '../models/definition/index-builder.ts'
import { declarationOf, type Model } from '../models/model.ts'
import { createModelRegistry } from '../models/definition/registry.ts'
import { createConfigMapModel } from '../models/secrets/config-map-model.ts'
import { followSecretKeys, type SecretKeys } from '../models/secrets/secret-keys.ts'
import { createSecretModel } from '../models/secrets/secret-model.ts'
import { createSecretSealing } from '../models/secrets/secret-sealing.ts'
import { createPluginModel } from '../plugins/plugin-model.ts'
import { createPluginSettings, type PluginSettings } from '../plugins/plugin-settings.ts'
import { keyOf } from '../store/model-table.ts'
import type { ModelKey, Store } from '../store/store.ts'
import { createSchemaCompiler, type SchemaCompiler } from '../validation/schema-compiler.ts'

/** The models of plugins, config maps and secrets. */
export interface KeptModels {
  readonly compiler: SchemaCompiler
  readonly plugins: Model
  readonly settings: PluginSettings
  readonly configMaps: Model
  readonly secrets: Model
}

interface KeptParts {
  readonly store: Store
  readonly keys: readonly SealingKey[]
  readonly authorize: Authorize
}

export function assembleKept({ store, keys, authorize }: KeptParts, running: AsyncDisposableStack): KeptModels {
  const plugins = createPluginModel()
  const compiler = running.use(createSchemaCompiler())
  const settings = createPluginSettings({ store, plugins, compiler })
  const configMaps = createConfigMapModel(settings.check.configmap)
  const asked = { kind: 'resource' as const, verb: 'get' as const, group: '', version: 'v1alpha1', resource: 'secrets' }
  const secrets = createSecretModel({
    sealing: createSecretSealing(keys),
    mayGet: async (caller, name) =>
      (await authorize(caller, { ...asked, name, path: `/api/v1alpha1/secrets/${name}` })).allowed,
    check: settings.check.secret,
  })
  return { compiler, plugins, settings, configMaps, secrets }
}

export interface ModelsParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly feed: Feed
  readonly accessModels: AccessModels
  readonly kept: KeptModels
  readonly keys: readonly SealingKey[]
  /** The plugins that evaluate objects. */
  readonly asked: () => AssembledPlugins
}

/** The built-in models and the declared ones; their background work ends with `running`. */
export async function assembleModels(
  { store, clock, log, feed, accessModels, kept, keys, asked }: ModelsParts,
  running: AsyncDisposableStack,
): Promise<Pick<PluginParts, 'models' | 'definitions' | 'build'> & { readonly secretKeys: SecretKeys }> {
  const { compiler, plugins, configMaps, secrets } = kept
  const builtIn = [
    accessModels.roles,
    accessModels.bindings,
    accessModels.users,
    accessModels.tokens,
    plugins,
    configMaps,
    secrets,
  ]
  const refresh = (model: ModelKey) => models.refresh(model)
  const holderOf = (group: string) => asked().holderOf(group)
  const definitions = createDefinitionModel({ store, clock, compiler, open: refresh, onChange: refresh, holderOf })
  for (const model of [...builtIn, definitions]) await store.openModel(declarationOf(model))
  await openRevocations(store)
  await seedRoles({ store, clock }, accessModels.roles, builtInRoles)
  const builder = running.use(createIndexBuilder({ store, definitions, log }))
  const onOpen = (model: Model) => builder.start(model)
  const evaluate: AssembledPlugins['evaluate'] = (model, request) => asked().evaluate(model, request)
  const evaluateAhead: AssembledPlugins['evaluateAhead'] = (model, request) => asked().evaluateAhead(model, request)
  const models = createModelRegistry({ store, compiler, definitions, builtIn, onOpen, evaluate, evaluateAhead })
  await models.load()
  const isTold = () => feed.isCurrent()
  const following = running.use(followDefinitions({ store, definitions, registry: models, log, isTold }))
  const secretKeys = running.use(await followSecretKeys({ store, secrets, keys, log }))
  lookOnChanges(feed, definitions, following)
  lookOnChanges(feed, secrets, secretKeys)
  const build = (key: ModelKey) => {
    const model = models.all().find((one) => keyOf(one) === keyOf(key))
    if (model) builder.start(model)
  }
  return { models, definitions, build, secretKeys }
}

function lookOnChanges(feed: Feed, model: ModelKey, following: { look(): void }): void {
  feed.subscribe('delivery', {
    onChanges: (changes) => {
      if (changes.some((change) => keyOf(change.model) === keyOf(model))) following.look()
    },
    onLost: () => following.look(),
  })
}
