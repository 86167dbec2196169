import type { Model } from '../models/model.ts'
import { modelPaths } from './openapi-paths.ts'
import { modelSchemas, sharedSchemas } from './openapi-schemas.ts'

/** The OpenAPI 3.1 document of one group and version. */
export function openApiDocument(models: readonly Model[]): Readonly<Record<string, unknown>> {
  const [first] = models
  const apiVersion = first?.apiVersion ?? ''
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
    paths: Object.assign({}, ...models.map(modelPaths)) as object,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: Object.assign({}, sharedSchemas, ...models.map(modelSchemas)) as object,
    },
  }
}
