import {
  groupFault,
  isAudienceGroup,
  kindFault,
  maxGroupLength,
  maxModelNameLength,
  onDeleteActions,
  maxReferences,
  schemaReferences,
  reservedGroupFault,
  resolveIndexPath,
  resourceNameFault,
  versionFault,
  type FieldError,
  type FieldRuleParams,
  type IndexedPath,
} from '@pergola/api'
import { fieldError, limitError, movedTo } from '../../call/field-error.ts'
import type { JsonSchema, ObjectSchema } from '../../validation/object-schema.ts'
import { allSubSchemas, schemaErrors } from '../../validation/schema-errors.ts'
import { isJsonObject } from '../../base/json-object.ts'
import { withReferences, type IndexDefinition, type ModelSpec } from './definition.ts'
import { displayErrors } from './display-errors.ts'

export const maxIndexes = 32
export const maxMultiIndexes = 8

/** Every model has these indexes; declaring one again would only add a second name for it. */
const defaultIndexes = new Set([
  'metadata.name',
  'metadata.labels',
  'metadata.creationTimestamp',
  'metadata.deletionTimestamp',
])

interface Registering {
  /** The host registers the model for a plugin whose groups it has already checked. */
  readonly byHost?: boolean
}

/** Errors in a model definition, except those that the schema compiler finds. */
export function definitionErrors(spec: ModelSpec, registering: Registering = {}): readonly FieldError[] {
  const errors = [...nameErrors(spec, registering), ...versionErrors(spec)]
  return errors.length > 0
    ? errors
    : [
        ...evaluationErrors(spec, registering),
        ...referenceErrors(spec),
        ...indexErrors(spec),
        ...compositeErrors(spec),
        ...displayErrors(spec),
      ]
}

/** What can be seen in the model alone; whether the targets exist is checked when it is stored. */
function referenceErrors({ versions: [version] }: ModelSpec): readonly FieldError[] {
  if (!version) return []
  const at = '/spec/versions/0/schema'
  const references = schemaReferences(version.schema)
  const places = new Set(references.map(({ pointer }) => pointer))
  const found = allSubSchemas(version.schema as unknown as JsonSchema)
    .filter(({ schema }) => schema['x-reference'] !== undefined)
    .map(({ schema, pointer }) => ({ target: schema['x-reference'], pointer: `${pointer}/x-reference` }))
  const errors = found.flatMap(({ target, pointer }) => {
    const fault = targetFault(target) ?? (places.has(pointer) ? undefined : placeFault)
    return fault === undefined ? [] : [fieldError(`${at}${pointer}`, 'schema', fault)]
  })
  if (references.length <= maxReferences) return errors
  return [...errors, limitError(at, { found: references.length, limit: maxReferences, unit: 'references' })]
}

const placeFault =
  'belongs on a string below the properties of spec, in at most one array; it must state "type": "string"'

function targetFault(target: unknown): string | undefined {
  if (!isJsonObject(target)) return 'must be an object such as { "group": "events.example.com", "plural": "events" }'
  const { group, plural, onDelete = 'refuse', ...others } = target
  const [other] = Object.keys(others)
  if (other !== undefined) return `has no field "${other}"; it has group, plural and onDelete`
  if (typeof group !== 'string' || typeof plural !== 'string') return 'needs the texts group and plural'
  if (onDeleteActions.some((action) => action === onDelete)) return undefined
  return `cannot have onDelete ${JSON.stringify(onDelete)}; it can be ${onDeleteActions.join(' or ')}`
}

function nameErrors(
  { group, kind, singular, plural }: ModelSpec,
  { byHost = false }: Registering,
): readonly FieldError[] {
  const audience = 'begins like the groups of custom APIs; choose one without api.'
  const [ofGroup, ofModel] = [{ limit: maxGroupLength }, { limit: maxModelNameLength }]
  const faults: readonly (readonly [string, string | undefined, FieldRuleParams['name']])[] = [
    ['group', groupFault(group), { fault: 'group-form', ...ofGroup }],
    ['group', byHost ? undefined : reservedGroupFault(group), { fault: 'reserved' }],
    ['group', isAudienceGroup(group) ? audience : undefined, { fault: 'audience' }],
    ['kind', kindFault(kind), { fault: 'kind-form', ...ofModel }],
    ['singular', resourceNameFault(singular), { fault: 'resource-form', ...ofModel }],
    ['plural', resourceNameFault(plural), { fault: 'resource-form', ...ofModel }],
  ]
  return faults.flatMap(([field, message, params]) =>
    message === undefined ? [] : [fieldError(`/spec/${field}`, 'name', { message, params })],
  )
}

function versionErrors({ versions }: ModelSpec): readonly FieldError[] {
  const [version] = versions
  if (!version || versions.length > 1) {
    const message = `has ${versions.length} versions; a model has exactly one for now`
    return [fieldError('/spec/versions', 'versions', { message, params: { actual: versions.length } })]
  }
  const { name, schema } = version
  const nameFault = versionFault(name)
  const at = '/spec/versions/0'
  const others = Object.keys(schema.properties).filter((field) => field !== 'spec' && field !== 'status')
  return [
    ...(nameFault === undefined
      ? []
      : [fieldError(`${at}/name`, 'name', { message: nameFault, params: { fault: 'version-form' } })]),
    ...others.map((field) =>
      fieldError(
        `${at}/schema/properties/${field}`,
        'schema',
        'cannot be declared by a model; declare only spec and status',
      ),
    ),
    ...[...schemaErrors(schema as unknown as JsonSchema), ...unenforcedErrors(schema as unknown as JsonSchema)].map(
      (error) => below(`${at}/schema`, error),
    ),
  ]
}

/** Only the code of a plugin can evaluate; without one, no object could be written. */
function evaluationErrors({ check, indexes = [] }: ModelSpec, { byHost = false }: Registering): readonly FieldError[] {
  if (byHost) return []
  const message = 'needs the code of a plugin; declare the model in its package'
  return [
    ...(check === true ? [fieldError('/spec/check', 'plugin', message)] : []),
    ...indexes.flatMap(({ evaluated }, at) =>
      evaluated === undefined ? [] : [fieldError(`/spec/indexes/${at}/evaluated`, 'plugin', message)],
    ),
  ]
}

/** Keywords that promise what the server does not do. */
function unenforcedErrors(schema: JsonSchema): readonly FieldError[] {
  return allSubSchemas(schema).flatMap((place) =>
    ['readOnly', 'writeOnly'].flatMap((keyword) => {
      if (place.schema[keyword] !== true) return []
      const cure = 'remove it; a field that only a controller writes belongs into status'
      return [fieldError(`${place.pointer}/${keyword}`, 'schema', `is not enforced for objects of a model; ${cure}`)]
    }),
  )
}

function indexErrors({ indexes = [], versions }: ModelSpec): readonly FieldError[] {
  const [version] = versions
  if (!version) return []
  const resolved = indexes.map((index) => resolvedIndex(version.schema, index))
  const errors = indexes.flatMap((_, at) => oneIndexErrors(indexes, at, resolved[at]))
  const multi = resolved.filter((path) => path && 'multi' in path && path.multi).length
  const bounds = [
    { found: withReferences(version.schema, indexes).length, limit: maxIndexes, unit: 'indexes' },
    { found: multi, limit: maxMultiIndexes, unit: 'indexes of several values' },
  ]
  const beyond = bounds.filter(({ found, limit }) => found > limit)
  return [...errors, ...beyond.map((bound) => limitError('/spec/indexes', bound))]
}

/** Evaluated indexes have text values. */
function resolvedIndex(schema: ObjectSchema, index: IndexDefinition): IndexedPath | { readonly fault: string } {
  if (index.evaluated === undefined) return resolveIndexPath(schema, pathOf(index))
  return { type: 'string', multi: index.evaluated === 'multi' }
}

function pathOf({ name, path = name }: IndexDefinition): string {
  return path
}

function oneIndexErrors(
  indexes: readonly IndexDefinition[],
  at: number,
  resolved: IndexedPath | { readonly fault: string } | undefined,
): readonly FieldError[] {
  const index = indexes[at]
  if (!index || !resolved) return []
  const place = `/spec/indexes/${at}`
  const pathPlace = index.path === undefined ? `${place}/name` : `${place}/path`
  const repeated = [index.name, pathOf(index)].find((name) => defaultIndexes.has(name))
  if (repeated !== undefined) {
    const repeatedPlace = repeated === index.name ? `${place}/name` : pathPlace
    return [
      fieldError(repeatedPlace, 'index', {
        message: 'is an index of every model; leave it out',
        params: { fault: 'default', name: repeated },
      }),
    ]
  }
  if (indexes.findIndex(({ name }) => name === index.name) < at) {
    return [
      fieldError(`${place}/name`, 'index', {
        message: `is declared twice: "${index.name}"`,
        params: { fault: 'twice', name: index.name },
      }),
    ]
  }
  if (/[=!<>^,()\\\s]/.test(index.name) || index.name === '') {
    return [
      fieldError(`${place}/name`, 'index', {
        message: 'must not contain spaces or any of = ! < > ^ , ( ) \\',
        params: { fault: 'form', name: index.name },
      }),
    ]
  }
  if ('fault' in resolved) {
    const path = pathOf(index)
    return [fieldError(pathPlace, 'index', { message: `${path} ${resolved.fault}`, params: { fault: 'path', path } })]
  }
  return []
}

function compositeErrors({ composites = [], indexes = [], versions }: ModelSpec): readonly FieldError[] {
  const [version] = versions
  if (!version) return []
  return composites.flatMap((parts, at) => {
    const place = `/spec/composites/${at}`
    if (parts.length < 2)
      return [
        fieldError(place, 'index', {
          message: 'must name two indexes or more',
          params: { fault: 'too-few', limit: 2 },
        }),
      ]
    return parts.flatMap((part, which) => {
      const [name = '', direction, ...rest] = part.split(' ')
      const index = indexes.find((candidate) => candidate.name === name)
      const resolved = index && resolvedIndex(version.schema, index)
      if (rest.length > 0 || (direction !== undefined && !/^(asc|desc)$/i.test(direction))) {
        return [
          fieldError(`${place}/${which}`, 'index', {
            message: 'must be <index>, <index> asc or <index> desc',
            params: { fault: 'direction', name },
          }),
        ]
      }
      if (!resolved) {
        const message = `names no index of this model: "${name}"`
        return [fieldError(`${place}/${which}`, 'index', { message, params: { fault: 'unknown', name } })]
      }
      if ('multi' in resolved && resolved.multi) {
        const message = `"${name}" holds several values; a composite takes single ones`
        return [fieldError(`${place}/${which}`, 'index', { message, params: { fault: 'several', name } })]
      }
      return []
    })
  })
}

function below(parent: string, error: FieldError): FieldError {
  return movedTo(`${parent}${error.pointer}`, error)
}
