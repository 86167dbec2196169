import { audienceGroup, type RouteDeclaration } from '@pergola/api'
import { createModel, type Model } from '../models/model.ts'
import { pathOfVersion } from './discovery-document.ts'

/** What plugins serve beside the models. */
export interface CustomApis {
  readonly routes: readonly RouteDeclaration[]
  /** Models of which callers have their own. */
  readonly owned: readonly { readonly group: string; readonly plural: string }[]
  /** Programs of plugins that answer whatever no route does, by group and version. */
  readonly apps: readonly { readonly plugin: string; readonly path: string }[]
}

export interface GroupVersion {
  readonly apiVersion: string
  readonly version: string
  /** `/apis/<group>/<version>`. */
  readonly path: string
  readonly models: readonly Model[]
  readonly routes: readonly RouteDeclaration[]
  /** The plugin of which a program answers every other path. */
  readonly app: string | undefined
}

/** The models and custom APIs by group and version. */
export function versionsOf(models: readonly Model[], { routes, owned, apps }: CustomApis): readonly GroupVersion[] {
  const own = models.flatMap((model) =>
    owned.some(({ group, plural }) => group === model.group && plural === model.plural) ? [ownOf(model)] : [],
  )
  const byPath = Map.groupBy([...models, ...own], ({ group, version }) => pathOfVersion(group, version))
  const routesByPath = Map.groupBy(routes, ({ path }) => path.split('/').slice(0, 4).join('/'))
  const paths = [...byPath.keys(), ...routesByPath.keys(), ...apps.map(({ path }) => path)]
  return [...new Set(paths)].map((path) => {
    const [, , ...words] = path.split('/')
    return {
      apiVersion: words.join('/'),
      version: words.at(-1) ?? '',
      path,
      models: byPath.get(path) ?? [],
      routes: routesByPath.get(path) ?? [],
      app: apps.find((one) => one.path === path)?.plugin,
    }
  })
}

/** The same model, where people have what is their own. */
function ownOf(model: Model): Model {
  const definition = { ...model.definition, group: audienceGroup('uc', model.group), statusSubresource: false }
  const { edition, validator } = model
  return createModel(definition, { edition, validator })
}
