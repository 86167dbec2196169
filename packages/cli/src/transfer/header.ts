import { apiVersionOf } from '@pergola/api'
import { isObject } from '../objects/schema-at.ts'
import type { KnownResource } from '../server/known-resource.ts'

/** The line in front of the objects of a model. */
interface Header {
  readonly export: 1
  readonly apiVersion: string
  readonly kind: string
  readonly resource: string
}

export function headerLine({ kind, plural, ...type }: KnownResource): string {
  const header: Header = { export: 1, apiVersion: apiVersionOf(type), kind, resource: plural }
  return `${JSON.stringify(header)}\n`
}

export function isHeader(value: unknown): value is Header {
  return isObject(value) && value['export'] === 1 && typeof value['apiVersion'] === 'string' && !('metadata' in value)
}
