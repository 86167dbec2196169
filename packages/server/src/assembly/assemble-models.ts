import { builtInRoles } from '../access/built-in-roles.ts'
import type { AccessModels } from '../access/access-models.ts'
import { seedRoles } from '../access/seed-roles.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Authorize } from '../access/decisions/authorize.ts'
import type { SealingKey } from '../config/sealing-keys.ts'
import { openRevocations } from '../credentials/revocations.ts'
import type { Feed } from '../feed/feed.ts'
import { createDefinitionModel } from '../models/definition/definition-model.ts'
import { createDefinitionFollower } from '../models/definition/definition-follower.ts'
import { createIndexBuilder } from '../models/definition/index-builder.ts'
import { declarationOf, type Model } from '../models/model.ts'
import { createModelRegistry, type ModelRegistry, type RegistryStart } from '../models/definition/registry.ts'
import { createConfigMapModel } from '../models/secrets/config-map-model.ts'
import { createSecretKeys, type SecretKeys } from '../models/secrets/secret-keys.ts'
import { createSecretModel } from '../models/secrets/secret-model.ts'
import { createSecretSealing } from '../models/secrets/secret-sealing.ts'
import { createPluginModel } from '../plugins/plugin-model.ts'
import type { KnownPlugins } from '../plugins/run/known-plugins.ts'
import { createPluginSettings, type PluginSettings } from '../plugins/plugin-settings.ts'
import { keyOf } from '../store/model-table.ts'
import type { ModelKey, Store } from '../store/store.ts'
import { createSchemaCompiler, type SchemaCompiler } from '../validation/schema-compiler.ts'

/** The models of plugins, config maps and secrets. */
export interface ConfigModels {
  readonly compiler: SchemaCompiler
  readonly plugins: Model
  readonly settings: PluginSettings
  readonly configMaps: Model
  readonly secrets: Model
}

interface FollowedCacheParts {
  readonly store: Store
  readonly keys: readonly SealingKey[]
  readonly authorize: Authorize
}

export function assembleConfigModels(
  { store, keys, authorize }: FollowedCacheParts,
  running: AsyncDisposableStack,
): ConfigModels {
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
  readonly kept: ConfigModels
  readonly keys: readonly SealingKey[]
  readonly known: Pick<KnownPlugins, 'claims'>
}

export interface AssembledModels {
  readonly models: ModelRegistry
  /** The model of definitions. */
  readonly definitions: Model
  /** Builds the indexes of a model that are not built yet. */
  readonly build: (model: ModelKey) => void
  readonly secretKeys: SecretKeys
  /** Opens the built-in models, then loads the declared ones; `evaluators` ask plugins about their objects. */
  start(evaluators: Pick<RegistryStart, 'evaluate' | 'evaluateNext'>): Promise<void>
}

/** The built-in models and the declared ones; their background work ends with `running`. */
export function assembleModels(
  { store, clock, log, feed, accessModels, kept, keys, known }: ModelsParts,
  running: AsyncDisposableStack,
): AssembledModels {
  const { compiler, plugins, configMaps, secrets } = kept
  const models = createModelRegistry({ store, compiler })
  const { refresh } = models
  const holderOf = (group: string) => known.claims().pluginOf(group)
  const definitions = createDefinitionModel({ store, clock, compiler, refresh, holderOf })
  const builtIn = [definitions, ...Object.values(accessModels), plugins, configMaps, secrets]
  const builder = running.use(createIndexBuilder({ store, definitions, log }))
  const isTold = () => feed.isCurrent()
  const following = running.use(createDefinitionFollower({ store, definitions, registry: models, log, isTold }))
  const secretKeys = running.use(createSecretKeys({ store, secrets, keys, log }))
  lookOnChanges(feed, definitions, following)
  lookOnChanges(feed, secrets, secretKeys)
  return {
    models,
    definitions,
    secretKeys,
    build: (key) => {
      const model = models.all().find((one) => keyOf(one) === keyOf(key))
      if (model) builder.start(model)
    },
    start: async (evaluators) => {
      for (const model of builtIn) await store.openModel(declarationOf(model))
      await openRevocations(store)
      await seedRoles({ store, clock }, accessModels.roles, builtInRoles)
      await models.start({ builtIn, onOpen: (model) => builder.start(model), ...evaluators })
      following.start()
      await secretKeys.start()
    },
  }
}

function lookOnChanges(feed: Feed, model: ModelKey, following: { look(): void }): void {
  feed.subscribe('delivery', {
    onChanges: (changes) => {
      if (changes.some((change) => keyOf(change.model) === keyOf(model))) following.look()
    },
    onLost: () => following.look(),
  })
}
