import { isAudienceGroup } from '@pergola/api'
import type { GroupVersion } from './group-version.ts'
import { createFreeName, reference, type FreeName } from './openapi-names.ts'
import { hostRoutePaths } from './openapi-host-routes.ts'
import { modelPaths, ownPaths } from './openapi-paths.ts'
import { routePaths } from './openapi-routes.ts'
import { modelSchemas, sharedSchemas } from './openapi-schemas.ts'

/** The OpenAPI 3.1 document of one group and version. */
export function openApiDocument({
  apiVersion,
  version,
  path,
  models,
  routes,
  hostRoutes,
  app,
}: GroupVersion): Readonly<Record<string, unknown>> {
  const freeName = createFreeName(models)
  const paths = Object.assign(
    {},
    ...models.map((model) => (isAudienceGroup(model.group) ? ownPaths : modelPaths)(model, freeName)),
    hostRoutePaths(hostRoutes, freeName),
    routePaths(routes, freeName),
  ) as object
  const schemas = Object.assign({}, ...models.map((model) => modelSchemas(model, freeName))) as object
  return {
    // Not 3.1.1, which changes nothing and which some generators reject.
    openapi: '3.1.0',
    info: {
      title: `${apiVersion} on Pergola`,
      version,
      description: [`What is served at ${path}.`, ...(app === undefined ? [] : [appWords(app)])].join(' '),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [
      ...models.map(({ plural, kind }) => ({ name: plural, description: `Objects of the kind ${kind}.` })),
      ...(hostRoutes.length > 0 ? [{ name: 'host', description: 'Endpoints of the host itself.' }] : []),
      ...(routes.length > 0 ? [{ name: 'custom', description: 'Endpoints of a plugin.' }] : []),
    ],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { ...sharedIn({ paths, schemas }, freeName), ...schemas },
    },
  }
}

/** The shared schemas that a document refers to. */
function sharedIn(document: object, freeName: FreeName): object {
  const text = JSON.stringify(document)
  const named = Object.entries(sharedSchemas).map(([name, schema]) => [freeName(name), schema] as const)
  return Object.fromEntries(named.filter(([name]) => text.includes(JSON.stringify(reference(name).$ref))))
}

/** Describes an app, of which only its existence is known. */
export function appWords(plugin: string): string {
  return `An app of the plugin ${plugin} answers all other requests here; they are not described.`
}
