import type { Model } from '../models/model.ts'
import { createFreeName } from './openapi-names.ts'
import { modelPaths } from './openapi-paths.ts'
import { modelSchemas, sharedSchemas } from './openapi-schemas.ts'

/** The OpenAPI 3.1 document of one group and version. */
export function openApiDocument(models: readonly Model[]): Readonly<Record<string, unknown>> {
  const [first] = models
  const apiVersion = first?.apiVersion ?? ''
  const freeName = createFreeName(models)
  const shared = Object.entries(sharedSchemas).map(([name, schema]) => [freeName(name), schema])
  return {
    openapi: '3.1.1',
    info: {
      title: `${apiVersion} on Pergola`,
      version: first?.version ?? '',
      description: `The resources of ${apiVersion}.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: models.map(({ plural, kind }) => ({ name: plural, description: `Objects of the kind ${kind}.` })),
    paths: Object.assign({}, ...models.map((model) => modelPaths(model, freeName))) as object,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: Object.assign(
        Object.fromEntries(shared),
        ...models.map((model) => modelSchemas(model, freeName)),
      ) as object,
    },
  }
}
