import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Answer, Caller } from '../../call/call.ts'
import { systemClock, type Clock } from '../../base/clock.ts'
import { createLog } from '../../base/log.ts'
import { openStore } from '../../store/open-store.ts'
import type { Store } from '../../store/store.ts'
import { compileObjectSchema, objectSchemaErrors } from '../../validation/compile-schema.ts'
import { SchemaFault, type SchemaCompiler } from '../../validation/schema-compiler.ts'
import { jsonAnswer } from '../../call/json-answer.ts'
import { createdAnswer, objectAnswer, readAnswer } from '../verbs/answers.ts'
import { createObject } from '../verbs/create.ts'
import { deleteCollection } from '../verbs/delete-collection.ts'
import { deleteObject } from '../verbs/delete.ts'
import type { ModelSpec } from '../definition/definition.ts'
import { createDefinitionModel } from '../definition/definition-model.ts'
import { modelObjectName } from '../definition/model-object-name.ts'
import { getObject } from '../verbs/get.ts'
import { createIndexBuilder } from '../definition/index-builder.ts'
import { listObjects } from '../verbs/list.ts'
import { createStreamLimits, unboundedLists } from '../query/stream-limits.ts'
import { declarationOf, type Model } from '../model.ts'
import { patchObject, type PatchType } from '../verbs/patch.ts'
import { createModelRegistry, type ModelRegistry } from '../definition/registry.ts'
import { updateObject } from '../verbs/update.ts'

export interface Served {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ServedObject
}

interface ServedObject {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
  readonly items: readonly ServedObject[]
  readonly [field: string]: unknown
}

interface WriteHow {
  readonly part?: 'object' | 'status'
  readonly headers?: IncomingHttpHeaders
  readonly dryRun?: boolean
}

/** The verbs of one model, as the dispatcher calls them. */
interface Verbs {
  create(body: unknown, how?: WriteHow): Promise<Served>
  get(name: string, headers?: IncomingHttpHeaders): Promise<Served>
  update(name: string, body: unknown, how?: WriteHow): Promise<Served>
  patch(name: string, patch: unknown, how?: WriteHow & { readonly type?: PatchType }): Promise<Served>
  remove(name: string, how?: WriteHow): Promise<Served>
  removeAll(query: string, how?: { readonly dryRun?: boolean; readonly deadlineMs?: number }): Promise<Served>
  list(query?: string, caller?: Caller): Promise<Served>
}

/** The models of one server on a store, without HTTP. */
export interface Replica extends AsyncDisposable {
  readonly store: Store
  readonly definitions: Model
  readonly registry: ModelRegistry
  readonly models: Verbs
  readonly log: readonly string[]
  of(plural: string): Verbs
  /** Creates or replaces a declaration. */
  declare(spec: ModelSpec): Promise<Served>
}

interface ReplicaOptions {
  readonly clock?: Clock
  readonly compiler?: SchemaCompiler
}

export async function openReplica(store: Store, options: ReplicaOptions = {}): Promise<Replica> {
  const { clock = systemClock, compiler = compilerHere } = options
  const lines: string[] = []
  const log = createLog({ level: 'debug', pretty: false, write: (line) => lines.push(line) })
  const registry = createModelRegistry({ store, compiler })
  const { refresh } = registry
  const definitions = createDefinitionModel({ store, clock, compiler, refresh, holderOf: () => undefined })
  await store.openModel(declarationOf(definitions))
  const builder = createIndexBuilder({ store, definitions, log })
  const onOpen = (model: Model) => builder.start(model)
  await registry.start({ builtIn: [definitions], evaluate: nobody, evaluateNext: nobody, onOpen })
  const parts = { store, clock, streams: createStreamLimits({ inAll: 8, perCaller: 2, ...unboundedLists }) }
  const of = (plural: string, group = testGroup, version = 'v1') =>
    verbsOf(parts, (work) => registry.using({ group, version, plural }, work))
  const models = of('models', 'plugin.platform.run', 'v1alpha1')
  return {
    store,
    definitions,
    registry,
    models,
    log: lines,
    of,
    declare: async (spec) => {
      const name = modelObjectName(spec)
      return (await store.get(definitions, name)) ? models.update(name, { spec }) : models.create({ spec })
    },
    [Symbol.asyncDispose]: () => builder[Symbol.asyncDispose](),
  }
}

/** Compiles without a thread, for tests that declare many models. */
export const compilerHere: SchemaCompiler = {
  compile: async (schema, thoroughness) => {
    try {
      return compileObjectSchema(schema, thoroughness)
    } catch (error) {
      throw new SchemaFault(error instanceof Error ? error.message : String(error))
    }
  },
  check: async (schema) => objectSchemaErrors(schema),
  [Symbol.asyncDispose]: async () => {},
}

type Parts = Parameters<typeof createObject>[0] & Parameters<typeof listObjects>[0]
type Using = (work: (model: Model) => Promise<Answer>) => Promise<Answer>
type Headers = Readonly<Record<string, string>>

function verbsOf(parts: Parts, using: Using): Verbs {
  const served = async (work: (model: Model) => Promise<Answer>) => toServed(await using(work))
  const target = (name: string, { part = 'object', headers = {}, dryRun = false }: WriteHow = {}) => {
    return { name, part, ifMatch: (headers as Headers)['if-match'], dryRun }
  }
  return {
    create: (body, how = {}) =>
      served(async (model) => createdAnswer(model, await createObject(parts, model, { body, ...how }))),
    get: (name, headers = {}) =>
      served(async (model) => readAnswer(model, await getObject(parts.store, model, { name }), { headers })),
    update: (name, body, how) =>
      served(async (model) =>
        objectAnswer(model, await updateObject(parts, model, { ...target(name, how), bodyFor: () => body })),
      ),
    patch: (name, patch, { type = 'application/merge-patch+json', ...how } = {}) =>
      served(async (model) =>
        objectAnswer(model, await patchObject(parts, model, { ...target(name, how), type, patch })),
      ),
    remove: (name, how) =>
      served(async (model) => objectAnswer(model, await deleteObject(parts, model, target(name, how)))),
    removeAll: (query, how = {}) =>
      served(async (model) => {
        const request = { query: new URLSearchParams(query), ...how }
        return jsonAnswer(200, Buffer.from(JSON.stringify(await deleteCollection(parts, model, request))))
      }),
    list: (query = '', caller = { kind: 'anonymous' }) =>
      served(async (model) => {
        const { body } = await listObjects(parts, model, { query: new URLSearchParams(query), caller })
        return jsonAnswer(200, body)
      }),
  }
}

async function toServed({ status, headers = {}, body }: Answer): Promise<Served> {
  const bytes = Buffer.isBuffer(body) ? body : await buffer(body)
  return { status, headers, body: (bytes.length === 0 ? {} : JSON.parse(bytes.toString())) as ServedObject }
}

/** These tests have no plugins. */
const nobody = () => Promise.reject(new Error('nobody is asked here'))

export const testGroup = 'test.example.com'

/** The declaration of a model whose `spec` has these properties. */
export function modelSpec(properties: Readonly<Record<string, object>>, more: Partial<ModelSpec> = {}): ModelSpec {
  return {
    group: testGroup,
    kind: 'Thing',
    singular: 'thing',
    plural: 'things',
    statusSubresource: true,
    versions: [
      {
        name: 'v1',
        schema: {
          properties: {
            spec: { type: 'object', properties },
            status: { type: 'object', additionalProperties: true },
          },
        },
      },
    ],
    ...more,
  }
}

/** One replica on a SQLite store in a temporary file. */
export async function sqliteReplica(options?: ReplicaOptions): Promise<Replica> {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-models-'))
  const store = await openStore({ url: `sqlite:${join(directory, 'test.db')}`, onConnectionLost: () => {} })
  const replica = await openReplica(store, options)
  return {
    ...replica,
    [Symbol.asyncDispose]: async () => {
      await replica[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true })
    },
  }
}
