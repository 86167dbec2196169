import { audienceGroup, type OwnedDeclaration, type RouteDeclaration } from '@pergola/api'
import { hostVersion } from '../base/host-version.ts'
import type { HostRoute } from '../call/host-route.ts'
import { createModel, type Model } from '../models/model.ts'
import { pathOfVersion } from './discovery-document.ts'

/** What plugins serve besides models. */
export interface CustomApis {
  readonly routes: readonly RouteDeclaration[]
  /** Models with owned objects. */
  readonly owned: readonly Pick<OwnedDeclaration, 'group' | 'plural' | 'verbs'>[]
  /** Apps of plugins that answer requests that match no route, by group and version. */
  readonly apps: readonly { readonly plugin: string; readonly path: string }[]
}

/** The content of one document: a group and version, or host endpoints at non-resource paths. */
export interface GroupVersion {
  readonly apiVersion: string
  readonly version: string
  /** `/apis/<group>/<version>`, or `/auth`. */
  readonly path: string
  readonly models: readonly Model[]
  readonly routes: readonly RouteDeclaration[]
  readonly hostRoutes: readonly HostRoute[]
  /** The plugin whose app answers every other path. */
  readonly app: string | undefined
}

/** The models, custom APIs and endpoints of the host by group and version. */
export function versionsOf(
  models: readonly Model[],
  { routes, owned, apps }: CustomApis,
  hostRoutes: readonly HostRoute[],
): readonly GroupVersion[] {
  const own = models.flatMap((model) =>
    owned
      .filter((one) => one.group === model.group && one.plural === model.plural)
      .map(({ verbs }) => ownOf(model, verbs)),
  )
  const byPath = Map.groupBy([...models, ...own], ({ group, version }) => pathOfVersion(group, version))
  const routesByPath = Map.groupBy(routes, ({ path }) => path.split('/').slice(0, 4).join('/'))
  const hostByPath = Map.groupBy(hostRoutes, ({ path }) => documentOf(path))
  const paths = [...byPath.keys(), ...routesByPath.keys(), ...apps.map(({ path }) => path), ...hostByPath.keys()]
  return [...new Set(paths)].map((path) => {
    const [, root = '', ...words] = path.split('/')
    return {
      apiVersion: words.join('/') || root,
      version: words.at(-1) ?? hostVersion,
      path,
      models: byPath.get(path) ?? [],
      routes: routesByPath.get(path) ?? [],
      hostRoutes: hostByPath.get(path) ?? [],
      app: apps.find((one) => one.path === path)?.plugin,
    }
  })
}

/** Endpoints that belong to no group and are not under `/auth`: health. */
const others = '/host'

/** The path of the document that describes an endpoint. */
function documentOf(path: string): string {
  const [, root = '', ...words] = path.split('/')
  if (root === 'api') return `/api/${words[0]}`
  if (root === 'apis') return `/apis/${words[0]}/${words[1]}`
  return root === 'auth' ? '/auth' : others
}

/** The same model in the group of owned objects. */
function ownOf(model: Model, ownerVerbs: OwnedDeclaration['verbs']): Model {
  const definition = { ...model.definition, group: audienceGroup('uc', model.group), statusSubresource: false }
  const { edition, validator } = model
  return createModel(definition, { edition, validator, rules: { ...(ownerVerbs && { ownerVerbs }) } })
}
