import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Connection } from './sender.ts'

export type Json = Readonly<Record<string, unknown>>

/** The part of an OpenAPI document that is used here. */
interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}

interface OperationObject {
  readonly operationId: string
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
  readonly 'x-watch'?: { readonly contentType: string }
}

type Content = Readonly<Record<string, { readonly schema?: Json }>>

/** One operation of a document. */
export interface Operation {
  readonly id: string
  readonly method: string
  /** Segments of the path; undefined stands for a parameter. */
  readonly segments: readonly (string | undefined)[]
  /** Validators of response bodies, by status and content type; empty for a response without a body. */
  readonly answers: ReadonlyMap<number, ReadonlyMap<string, ValidateFunction>>
  /** Content type of the stream response, if there is one. */
  readonly streamType: string | undefined
}

/** A model as the server describes it. */
export interface DescribedModel {
  readonly path: string
  readonly kind: string
  readonly plural: string
  readonly apiVersion: string
  readonly statusSubresource: boolean
  /** Whether `status` in a body is ignored. */
  readonly ignoresStatus: boolean
  readonly indexes: readonly { readonly name: string; readonly type: string; readonly multi: boolean }[]
  /** Schema of what a client sends beside the metadata. */
  readonly schema: Json
  readonly resolve: (reference: string) => Json
  /** Whether an object without its metadata matches the document. */
  readonly isValid: (object: Json) => boolean
  /** The same object with defaults filled in. */
  readonly filled: (object: Json) => Json
}

export interface Documents {
  readonly models: readonly DescribedModel[]
  readonly operations: readonly Operation[]
  /** Every document by its path. */
  readonly texts: ReadonlyMap<string, string>
}

interface Discovered {
  readonly groups: readonly {
    readonly name: string
    readonly versions: readonly {
      readonly name: string
      readonly path: string
      readonly models: readonly (Pick<DescribedModel, 'kind' | 'plural' | 'indexes'> & {
        readonly statusSubresource: boolean
        readonly verbs: readonly string[]
      })[]
    }[]
  }[]
}

/** Reads all OpenAPI documents of the server. */
export async function readDocuments(connection: Connection): Promise<Documents> {
  const read = async (path: string): Promise<string> => {
    const { status, text, failure } = await connection.send({ method: 'GET', path, headers: {} })
    if (status !== 200) throw new Error(`GET ${path} answered ${status} ${failure ?? text.slice(0, 200)}`)
    return text
  }
  const index = JSON.parse(await read('/openapi/v3')) as { paths: Record<string, { serverRelativeURL: string }> }
  const texts = new Map<string, string>()
  for (const { serverRelativeURL } of Object.values(index.paths)) {
    texts.set(serverRelativeURL, await read(serverRelativeURL))
  }
  const parsed = new Map([...texts].map(([path, text]) => [path, JSON.parse(text) as OpenApiDocument]))
  const { groups } = JSON.parse(await read('/apis')) as Discovered
  const models = groups.flatMap(({ name, versions }) =>
    versions.flatMap((version) =>
      version.models.filter(isCreated).map((model) => {
        const document = parsed.get(`/openapi/v3${version.path}`)
        if (!document) throw new Error(`there is no document of ${version.path}`)
        const apiVersion = name === '' ? version.name : `${name}/${version.name}`
        return describedModel(document, { ...model, apiVersion, path: `${version.path}/${model.plural}` })
      }),
    ),
  )
  return { models, texts, operations: [...parsed.values()].flatMap(operationsOf) }
}

/** Objects of the other models are created by an endpoint of the host. */
function isCreated({ verbs }: { readonly verbs: readonly string[] }): boolean {
  return verbs.includes('create')
}

function describedModel(
  document: OpenApiDocument,
  model: Omit<DescribedModel, 'schema' | 'resolve' | 'isValid' | 'filled' | 'ignoresStatus'>,
): DescribedModel {
  const resolve = (reference: string): Json => {
    const schema = document.components.schemas[reference.replace('#/components/schemas/', '')]
    if (!schema) throw new Error(`${reference} is in no document`)
    return schema
  }
  const body = document.paths[model.path]?.['post']?.requestBody?.content['application/json']?.schema ?? {}
  const { properties, required, ...rest } = typeof body['$ref'] === 'string' ? resolve(body['$ref']) : body
  const { apiVersion: _, kind: __, metadata: ___, ...own } = properties as Record<string, Json>
  const schema = {
    ...rest,
    properties: own,
    required: (required as string[]).filter((field) => Object.hasOwn(own, field)),
  }
  const isValid = compile(document, schema, {})
  // Defaults are in the response schema; request schemas omit them.
  const { required: _required, ...answered } = resolve(`#/components/schemas/${model.kind}`)
  const fill = compile(document, answered, { useDefaults: true })
  return {
    ...model,
    ignoresStatus: model.statusSubresource || own['status']?.['readOnly'] === true,
    schema,
    resolve,
    isValid: (object) => isValid(object),
    filled: (object) => {
      const copy = structuredClone(object)
      fill(copy)
      return copy
    },
  }
}

function operationsOf(document: OpenApiDocument): readonly Operation[] {
  const methods = new Set(['get', 'put', 'post', 'delete', 'patch'])
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.has(method))
      .map(([method, { operationId, responses, 'x-watch': watch }]) => ({
        id: operationId,
        method: method.toUpperCase(),
        streamType: watch?.contentType,
        segments: path.split('/').map((segment) => (segment.startsWith('{') ? undefined : segment)),
        answers: new Map(
          Object.entries(responses).map(([status, { content = {} }]) => [
            Number(status),
            new Map(Object.entries(content).map(([type, { schema }]) => [type, compile(document, schema ?? {}, {})])),
          ]),
        ),
      })),
  )
}

function compile({ components }: OpenApiDocument, schema: Json, options: { useDefaults?: boolean }): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, ...options })
  addFormats.default(ajv)
  return ajv.compile({ ...schema, components })
}

/** Finds the operation for a request path; `HEAD` is `GET` without a body. */
export function operationOf(operations: readonly Operation[], method: string, path: string): Operation | undefined {
  const segments = (path.split('?')[0] ?? '').split('/')
  const wanted = method === 'HEAD' ? 'GET' : method
  return operations.find(
    (operation) =>
      operation.method === wanted &&
      operation.segments.length === segments.length &&
      operation.segments.every((segment, at) =>
        segment === undefined ? segments[at] !== '' : segment === segments[at],
      ),
  )
}
