import { describe, expect, test } from 'vitest'
import { createBuiltInModel } from '../models/definition/built-in-model.ts'
import type { ModelDefinition } from '../models/definition/definition.ts'
import { openApiDocument } from './openapi-document.ts'

type Json = Readonly<Record<string, unknown>>

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}

interface Operation {
  readonly operationId: string
  readonly responses: Json
  readonly 'x-watch'?: { readonly parameters: readonly { readonly name: string }[] }
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> }
}

function documentOf(...definitions: readonly Partial<ModelDefinition>[]): Document {
  const models = definitions.map((definition, at) =>
    createBuiltInModel({
      group: 'test.example.com',
      version: 'v1',
      kind: 'Thing',
      singular: `thing${at}`,
      plural: `things${at}`,
      schema: { properties: { spec: { type: 'object' } } },
      ...definition,
    }),
  )
  return openApiDocument({
    apiVersion: 'test.example.com/v1',
    version: 'v1',
    path: '/apis/test.example.com/v1',
    models,
    routes: [],
    hostRoutes: [],
    app: undefined,
  }) as unknown as Document
}

function operationsOf({ paths }: Document): readonly Operation[] {
  return Object.values(paths).flatMap((item) =>
    Object.entries(item).flatMap(([method, operation]) => (method === 'parameters' ? [] : [operation])),
  )
}

function referencesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, below]) =>
    key === '$ref' && typeof below === 'string' ? [below] : referencesIn(below),
  )
}

describe('names in a document', () => {
  const clashing = documentOf(
    ...['Thing', 'ThingList', 'ThingInput', 'ThingCollection', 'ThingStatus', 'Problem', 'Metadata'].map((kind) => ({
      kind,
      statusSubresource: true,
    })),
  )

  test('a kind named like a built-in schema keeps its name; the built-in schema gets a suffix', () => {
    const { schemas } = clashing.components
    expect(schemas['Problem']?.['properties']).toHaveProperty('spec')
    expect(schemas['Problem_']?.['properties']).toHaveProperty('requestId')
    expect(schemas['ThingList']?.['properties']).toHaveProperty('spec')
    expect(schemas['ThingList_']?.['properties']).toHaveProperty('items')
    expect(schemas['ThingInput_']?.['properties']).toHaveProperty('spec')
    expect(schemas['Metadata_']?.['properties']).toHaveProperty('uid')
  })

  test('no two operations have the same id', () => {
    const ids = operationsOf(clashing).map(({ operationId }) => operationId)
    expect(ids).toEqual([...new Set(ids)])
  })

  test('every reference resolves', () => {
    for (const reference of referencesIn(clashing)) {
      expect(Object.keys(clashing.components.schemas)).toContain(reference.replace('#/components/schemas/', ''))
    }
  })
})

describe('definitions of a model', () => {
  const names = ['Plain', 'a b', 'a/b', 'a~b', 'ä', 'a_20_b', 'constructor']
  const properties = Object.fromEntries(
    names.map((name, at) => [`p${at}`, { $ref: `#/$defs/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` }]),
  )
  const document = documentOf({
    schema: {
      properties: {
        spec: {
          type: 'object',
          properties: { ...properties, like: { type: 'object', default: { $ref: '#/$defs/Plain' } } },
        },
      },
      $defs: Object.fromEntries(names.map((name) => [name, { type: 'object', description: name }])),
    },
  })
  const { schemas } = document.components

  test('are components under names that OpenAPI allows', () => {
    for (const name of Object.keys(schemas)) expect(name).toMatch(/^[a-zA-Z0-9._-]+$/)
    expect(schemas['Thing.Plain']).toMatchObject({ description: 'Plain' })
  })

  test('are the targets of their references', () => {
    const { spec } = (schemas['Thing'] ?? {})['properties'] as {
      spec: { properties: Record<string, { $ref: string }> }
    }
    const fields = spec.properties
    for (const [at, name] of names.entries()) {
      const component = fields[`p${at}`]?.$ref.replace('#/components/schemas/', '') ?? ''
      expect(schemas[component], name).toMatchObject({ description: name })
    }
  })

  test('a default that looks like a reference is not rewritten', () => {
    expect(JSON.stringify(schemas['Thing'])).toContain('"default":{"$ref":"#/$defs/Plain"}')
  })
})

describe('operations', () => {
  const document = documentOf({ statusSubresource: true })

  test('each has the common error responses', () => {
    for (const { operationId, responses } of operationsOf(document)) {
      expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(['400', '401', '403', '404', '503']))
    }
  })

  test('reads have a 405 response for streams', () => {
    const read = operationsOf(document).filter(({ operationId }) => /^(list|get)/.test(operationId))
    expect(read).toHaveLength(3)
    for (const { responses } of read) expect(responses).toHaveProperty('405')
  })

  test('a merge patch allows any field, and a JSON Patch describes its operations', () => {
    const bodies = operationsOf(document)
      .filter(({ operationId }) => operationId.startsWith('patch'))
      .map(({ requestBody }) => requestBody?.content)
    expect(bodies).toHaveLength(2)
    for (const body of bodies) {
      expect(body?.['application/merge-patch+json']?.schema).toMatchObject({ additionalProperties: true })
      expect(body?.['application/json-patch+json']?.schema).toMatchObject({ items: { required: ['op', 'path'] } })
    }
  })

  test('request schemas have no server-owned fields', () => {
    const { schemas } = document.components
    const sent = operationsOf(document).flatMap(({ requestBody }) => requestBody?.content['application/json'] ?? [])
    expect(sent.map(({ schema }) => schema['$ref'])).toEqual([
      '#/components/schemas/ThingInput',
      '#/components/schemas/ThingInput',
      '#/components/schemas/ThingStatusInput',
    ])
    expect(schemas['ThingInput']).toMatchObject({ required: [] })
    expect(schemas['SentMetadata']).not.toHaveProperty('required')
  })
})

test('a list and a get describe the parameters of the same request as a watch', () => {
  const { paths } = documentOf({})
  for (const path of ['/apis/test.example.com/v1/things0', '/apis/test.example.com/v1/things0/{name}']) {
    const { parameters } = paths[path]?.['get']?.['x-watch'] ?? { parameters: [] }
    expect(parameters.map(({ name }) => name)).toEqual([
      'labelSelector',
      'fieldSelector',
      'anyOf',
      'revision',
      'initial',
      'Last-Event-ID',
    ])
  }
})
