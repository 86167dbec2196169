import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectStatus, type Answer, type Send } from './request.ts'

export const modelsPath = '/apis/plugin.platform.run/v1alpha1/models'

export type Schema = Readonly<Record<string, unknown>>

export interface IndexSpec {
  readonly name: string
  readonly path?: string
  readonly order?: string
  readonly unique?: boolean
}

/** `spec` of a model object. */
export interface ModelSpec {
  readonly group: string
  readonly kind: string
  readonly singular: string
  readonly plural: string
  readonly specRequired?: boolean
  readonly statusSubresource?: boolean
  readonly versions: readonly { readonly name: string; readonly schema: Schema }[]
  readonly indexes?: readonly IndexSpec[]
  readonly composites?: readonly (readonly string[])[]
  readonly display?: object
}

/** Fields of every type. */
export const thingFields: Readonly<Record<string, Schema>> = {
  city: { type: 'string', maxLength: 600 },
  code: { type: 'string' },
  note: { type: 'string' },
  nick: { type: 'string', minLength: 2, maxLength: 4 },
  age: { type: 'integer', minimum: 0, maximum: 200 },
  rank: { type: 'integer' },
  weight: { type: 'number' },
  active: { type: 'boolean' },
  seen: { type: 'string', format: 'date-time' },
  born: { type: 'string', format: 'date' },
  wakes: { type: 'string', format: 'time' },
  mail: { type: 'string', format: 'email' },
  plate: { type: 'string', pattern: '^[A-Z]{2}-[0-9]+$' },
  size: { enum: ['small', 'large'] },
  color: { type: 'string', default: 'green' },
  tags: { type: 'array', items: { type: 'string' } },
  scores: { type: 'array', items: { type: 'integer' } },
  home: {
    type: 'object',
    properties: { street: { type: 'string' }, number: { type: 'integer', minimum: 1 } },
    required: ['street'],
  },
  extra: { type: 'object', additionalProperties: true },
}

export const thingModel: ModelSpec = {
  group: 'test.example.com',
  kind: 'Thing',
  singular: 'thing',
  plural: 'things',
  specRequired: true,
  statusSubresource: false,
  versions: [{ name: 'v1alpha1', schema: schemaOf(thingFields, ['city']) }],
  indexes: [
    { name: 'spec.city' },
    { name: 'spec.age', order: 'DESC' },
    { name: 'spec.rank' },
    { name: 'spec.weight' },
    { name: 'spec.active' },
    { name: 'spec.seen' },
    { name: 'spec.tags' },
    { name: 'spec.scores' },
    { name: 'spec.code', unique: true },
  ],
  composites: [['spec.city', 'spec.age desc']],
}

let models = 0

/** The model `things` under unique names. */
export function freshModel(parts: Partial<ModelSpec> = {}): ModelSpec {
  const number = ++models
  const names = { kind: `Sample${number}`, singular: `sample${number}`, plural: `samples${number}` }
  return { ...thingModel, ...names, ...parts }
}

/** A schema whose `spec` has these fields, and whose `status` has a phase. */
export function schemaOf(fields: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return {
    properties: {
      spec: { type: 'object', properties: fields, ...(required.length > 0 && { required }) },
      status: { type: 'object', properties: { phase: { type: 'string' }, count: { type: 'integer' } } },
    },
  }
}

/** The one version of a model, with this schema. */
export function versionsOf(
  fields: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): ModelSpec['versions'] {
  return [{ name: 'v1alpha1', schema: schemaOf(fields, required) }]
}

/** Indexes on these paths with default options. */
export function plainIndexes(...names: readonly string[]): readonly IndexSpec[] {
  return names.map((name) => ({ name }))
}

export function modelObject(spec: unknown, metadata: object = {}): object {
  return { apiVersion: 'plugin.platform.run/v1alpha1', kind: 'Model', metadata, spec }
}

export function modelName({ group, plural }: Pick<ModelSpec, 'group' | 'plural'>): string {
  return `${plural}-${base32(createHash('sha256').update(`${group}/${plural}`).digest()).slice(0, 10)}`
}

export function collectionPath({ group, plural, versions }: ModelSpec): string {
  return `/apis/${group}/${versions[0]?.name}/${plural}`
}

/** Registers the model and waits until it is served; throws with the response when it is rejected. */
export async function registerModel(request: Send, spec: ModelSpec): Promise<Answer> {
  const answer = await request('POST', modelsPath, { body: modelObject(spec) })
  expectStatus(answer, 201)
  for (let tries = 0; tries < 100; tries++) {
    const { status } = await request('GET', `${collectionPath(spec)}?size=1`)
    if (status === 200) break
    await sleep(50)
  }
  return answer
}

/** RFC 4648, in lowercase. */
function base32(bytes: Buffer): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz234567'
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{5}/g) ?? []
  return groups.map((group) => letters[Number.parseInt(group, 2)]).join('')
}
