import type { JsonSchema, ObjectSchema } from './object-schema.ts'

/** Of one model. */
export const maxReferences = 8

/** What happens when an object is deleted that others refer to. */
export const onDeleteActions = ['refuse'] as const

/** The `x-reference` of a schema: its values are names of objects of this model. */
export interface ReferenceTarget {
  readonly group: string
  readonly plural: string
  /** `refuse` by default: the object cannot be deleted. */
  readonly onDelete?: (typeof onDeleteActions)[number]
}

/** A field of a model that refers to objects of a model. */
export interface SchemaReference {
  /** Path of the field, such as `spec.event`; an index is declared for it. */
  readonly path: string
  /** JSON Pointer of `x-reference` in the schema. */
  readonly pointer: string
  readonly target: ReferenceTarget
}

/** Users, as the target of a reference. */
export const usersTarget = { group: '', plural: 'users' } as const

/** The references of a model: strings, arrays of strings, and strings of the items of an array, below the properties of `spec`. */
export function schemaReferences({ properties }: ObjectSchema): readonly SchemaReference[] {
  const { spec } = properties
  return spec ? referencesBelow(spec, { path: 'spec', pointer: '/properties/spec' }) : []
}

interface Place {
  readonly path: string
  readonly pointer: string
  /** The schemas around it: code may build one that contains itself. */
  readonly around?: readonly JsonSchema[]
}

function referencesBelow(schema: JsonSchema, { path, pointer, around = [] }: Place): readonly SchemaReference[] {
  if (around.includes(schema)) return []
  const within = [...around, schema]
  const own = referenceOf(schema)
  if (own) return [{ path, pointer: `${pointer}/x-reference`, target: own }]
  const { items, properties } = schema
  const isInList = path.includes('[]')
  if (isObject(items) && isInList) return []
  const ofItems = isObject(items) ? referenceOf(items) : undefined
  if (ofItems) return [{ path, pointer: `${pointer}/items/x-reference`, target: ofItems }]
  if (isObject(items)) return referencesBelow(items, { path: `${path}[]`, pointer: `${pointer}/items`, around: within })
  if (!isObject(properties)) return []
  return Object.entries(properties).flatMap(([name, below]) => {
    const step = name.replaceAll('~', '~0').replaceAll('/', '~1')
    return isObject(below) && !name.includes('.')
      ? referencesBelow(below, { path: `${path}.${name}`, pointer: `${pointer}/properties/${step}`, around: within })
      : []
  })
}

function referenceOf(schema: JsonSchema): ReferenceTarget | undefined {
  const { 'x-reference': target } = schema
  const types = [schema['type']].flat().filter((one) => one !== 'null')
  if (!isObject(target) || types.length !== 1 || types[0] !== 'string') return undefined
  const { group, plural } = target
  return typeof group === 'string' && typeof plural === 'string' ? { ...target, group, plural } : undefined
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
