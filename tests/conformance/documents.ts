import type { Api } from './server.ts'

/** Any JSON value. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

export interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

/** Every object with this key in a document, at any depth. */
export function objectsWith(key: string, document: unknown): readonly Readonly<Record<string, Json>>[] {
  if (typeof document !== 'object' || document === null) return []
  const inside = Object.values(document).flatMap((value) => objectsWith(key, value))
  return key in document ? [document as Record<string, Json>, ...inside] : inside
}

/** The path of an OpenAPI document, from the index. */
export async function openApiPath(api: Api, apiVersion: string): Promise<string> {
  const { body } = await api.request('GET', '/openapi/v3')
  const words = strings(body).filter((word) => word.includes(apiVersion))
  const path = words.find((word) => word.startsWith('/')) ?? words[0]
  if (path === undefined) throw new Error(`/openapi/v3 does not name ${apiVersion}`)
  return path.startsWith('/') ? path : `/openapi/v3/${path}`
}

export interface ListedOperation {
  /** The document that lists it: `/auth`, `/apis/<group>/<version>`. */
  readonly document: string
  readonly method: string
  /** With its parameters in braces. */
  readonly path: string
  readonly dryRun: boolean
}

/** All operations in the OpenAPI documents. */
export async function operationsOf(api: Api): Promise<readonly ListedOperation[]> {
  const { body: index } = await api.request('GET', '/openapi/v3')
  const operations: ListedOperation[] = []
  for (const { serverRelativeURL } of objectsWith('serverRelativeURL', index)) {
    const url = serverRelativeURL as string
    const { body } = await api.request('GET', url)
    for (const [path, item] of Object.entries((body as OpenApiDocument).paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (method === 'parameters') continue
        const dryRun = objectsWith('name', operation).some(({ name }) => name === 'dryRun')
        operations.push({
          document: url.replace('/openapi/v3', ''),
          method: method.toUpperCase(),
          path,
          dryRun,
        })
      }
    }
  }
  return operations
}

function strings(document: unknown): readonly string[] {
  if (typeof document === 'string') return [document]
  if (typeof document !== 'object' || document === null) return []
  return Object.entries(document).flatMap(([key, value]) => [key, ...strings(value)])
}
