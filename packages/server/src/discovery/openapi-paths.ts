import { maxAlternatives, maxAlternativeTerms, ownedVerbs, type OwnedVerb, type Reason } from '@pergola/api'
import { problems } from '@pergola/api'
import { pathOf, type Model } from '../models/model.ts'
import { patchTypes } from '../models/verbs/patch.ts'
import { reference, type FreeName } from './openapi-names.ts'

type Json = Readonly<Record<string, unknown>>

const query = (name: string, description: string, schema: Json): Json => ({ name, in: 'query', description, schema })
const text = { type: 'string' }
const texts = { type: 'array', items: text }

const dryRun = query('dryRun', 'Do everything but store it.', { type: 'boolean', default: false })
const ifMatch = {
  name: 'If-Match',
  in: 'header',
  description: 'Succeeds only if the object still has this ETag.',
  schema: text,
}
const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  description: 'Returns 304 if the object still has this ETag.',
  schema: text,
}
const selectors = [
  query(
    'labelSelector',
    'Terms such as `key=value`, `key!=value`, `key`, `!key`, `key=(a,b)`, joined by commas, without spaces around operators. A backslash escapes the special characters and a space at the ends of a value.',
    texts,
  ),
  query('fieldSelector', 'The same on indexed fields, and `field>value`, `>=`, `<`, `<=`, `field^=prefix`.', texts),
]
const anyOf = query(
  'anyOf',
  `May be repeated; one of them must hold, beside both selectors. Each has up to ${maxAlternativeTerms} terms of \`fieldSelector\`, all of which must hold, and at least one that is not negative.`,
  { ...texts, maxItems: maxAlternatives },
)
const fields = query(
  'fields',
  'Paths such as `spec.title`, joined by commas: only these are answered, and what names the object.',
  texts,
)
const paging = [
  query('page', 'From 1 on; needs a size.', { type: 'integer', minimum: 1 }),
  query('size', 'Objects a page; without one, all of them.', { type: 'integer', minimum: 1 }),
  query('sort', '`<field>,asc` or `<field>,desc` of an indexed field; may be repeated.', texts),
  query('continue', 'From an answer before; carries everything else.', text),
  query('exactTotal', 'Count all, however many.', { type: 'boolean', default: false }),
  query('nonconforming', 'Of each page of up to 500, only objects that the schema of today would not take.', {
    type: 'boolean',
    default: false,
  }),
]

const related = [
  query(
    'expand',
    'Paths of up to 4 references, such as `spec.event`, joined by commas: the objects that they name are answered in `expanded`. Needs a size of at most 500.',
    texts,
  ),
  query(
    'referrers',
    'Up to 4 fields of other models that refer to this one, such as `registrations.events.example.com/spec.event`: `referrers` counts the objects that name each of these. Needs a size of at most 100.',
    texts,
  ),
]

/**
 * Describes the same request as a watch, by WebSocket or with this type in `Accept`. Not listed among the answers: with a
 * second type there, every generated client would have to check which one it got.
 */
const watched = {
  'x-watch': {
    description:
      'Events `{ type, revision, object }` as they happen, with the selectors of a list, `revision=<from>` or `initial=true`.',
    contentType: 'text/event-stream',
    subProtocol: 'watch.v1+json',
    parameters: [
      ...selectors,
      anyOf,
      query('revision', 'Only the changes after this revision, which a list or an event has.', text),
      query('initial', 'First the present objects and a bookmark, then the changes.', {
        type: 'boolean',
        default: false,
      }),
      {
        name: 'Last-Event-ID',
        in: 'header',
        description: 'Resumes Server-Sent Events after the event with this id; browsers send it by themselves.',
        schema: text,
      },
    ],
  },
}

interface Answered {
  readonly status?: number
  readonly description: string
  /** The name of the model's component. */
  readonly as: string
  readonly headers?: Json
  readonly failures: readonly Reason[]
}

/** What the operations of one model share. */
interface Parts {
  readonly model: Model
  readonly freeName: FreeName
  readonly name: Json
  readonly operation: (id: string, summary: string, rest: Json) => Json
  readonly answered: (answer: Answered) => Json
}

/** Every operation of a model, by path and method. */
export function modelPaths(model: Model, freeName: FreeName): Json {
  const { plural, singular, statusSubresource, rules } = model
  const parts: Parts = {
    model,
    freeName,
    name: { name: 'name', in: 'path', required: true, description: `The ${singular}'s name.`, schema: text },
    operation: (operationId, summary, rest) => ({ operationId, summary, tags: [plural], ...rest }),
    answered: ({ status = 200, description, as, headers, failures }) => {
      const content = { 'application/json': { schema: reference(as) } }
      return {
        responses: {
          [status]: { description, ...(headers && { headers }), content },
          ...refused(failures, freeName),
        },
      }
    },
  }
  const path = pathOf(model)
  const { post, ...withoutPost } = collectionOperations(parts)
  return {
    [path]: rules.createdAt === undefined ? { ...withoutPost, post } : withoutPost,
    [`${path}/{name}`]: objectOperations(parts),
    ...(statusSubresource && !rules.ownsStatus && { [`${path}/{name}/status`]: statusOperations(parts) }),
  }
}

/** For owned objects: the verbs that are served. A collection of them cannot be deleted at once. */
export function ownPaths(model: Model, freeName: FreeName): Json {
  const { ownerVerbs = ownedVerbs } = model.rules
  const paths = modelPaths(model, freeName)
  const served = (path: string, methods: Readonly<Record<string, readonly OwnedVerb[]>>) =>
    Object.fromEntries(
      Object.entries(paths[path] as Json).filter(([method]) =>
        methods[method]?.some((verb) => ownerVerbs.includes(verb)),
      ),
    )
  const collection = pathOf(model)
  const one = `${collection}/{name}`
  return {
    [collection]: served(collection, { get: ['list', 'watch'], post: ['create'] }),
    [one]: served(one, { get: ['get', 'watch'], put: ['update'], patch: ['patch'], delete: ['delete'] }),
  }
}

function collectionOperations({ model, freeName, operation, answered }: Parts): Json {
  const { kind, plural, singular } = model
  const all = query('all', 'Needed where no selector is given.', { type: 'boolean', default: false })
  return {
    get: operation(`list${kind}`, `List ${plural}`, {
      parameters: [...selectors, anyOf, ...paging, fields, ...related],
      ...watched,
      ...answered({
        description: 'A page of them.',
        as: freeName(`${kind}List`),
        failures: ['MethodNotAllowed', 'TooManyRequests', 'IndexBuilding'],
      }),
    }),
    post: operation(`create${kind}`, `Create a ${singular}`, {
      parameters: [dryRun],
      requestBody: bodyOf(reference(freeName(`${kind}Input`))),
      ...answered({
        status: 201,
        description: 'The object that was created.',
        as: kind,
        headers: { ...etag, Location: { description: 'The path of the new object.', schema: text } },
        failures: [...bodyFailures, 'AlreadyExists', 'DuplicateIndexValue'],
      }),
    }),
    delete: operation(`delete${freeName(`${kind}Collection`)}`, `Delete ${plural}`, {
      parameters: [...selectors, all, dryRun],
      ...answered({
        description: 'The number of objects.',
        as: freeName('DeletedCollection'),
        failures: ['InUse', 'IndexBuilding'],
      }),
    }),
  }
}

/** Also applies to watches. */
const getFailures: readonly Reason[] = ['MethodNotAllowed', 'TooManyRequests']

function objectOperations({ model, freeName, name, operation, answered }: Parts): Json {
  const { kind, singular } = model
  const parameters = [ifMatch, dryRun]
  const updated = answered({ ...updatedAnswer, as: kind })
  const found = answered({ description: 'The object.', as: kind, headers: etag, failures: getFailures })
  return {
    parameters: [name],
    get: operation(`get${kind}`, `Read a ${singular}`, {
      parameters: [ifNoneMatch, fields],
      ...watched,
      ...withNotModified(found),
    }),
    put: operation(`update${kind}`, `Replace a ${singular}`, {
      parameters,
      requestBody: bodyOf(reference(freeName(`${kind}Input`))),
      ...updated,
    }),
    patch: operation(`patch${kind}`, `Change a ${singular}`, { parameters, requestBody: patchBody, ...updated }),
    delete: operation(`delete${kind}`, `Delete a ${singular}`, {
      parameters,
      ...answered({
        description: 'The deleted object, or the object that waits for its finalizers.',
        as: kind,
        headers: etag,
        failures: ['VersionConflict', 'InUse', 'PreconditionFailed'],
      }),
    }),
  }
}

function statusOperations({ model, freeName, name, operation, answered }: Parts): Json {
  const { kind, singular } = model
  const parameters = [ifMatch, dryRun]
  const updated = answered({ ...updatedAnswer, as: kind })
  return {
    parameters: [name],
    get: operation(`get${freeName(`${kind}Status`)}`, `Read a ${singular} with the right to its status`, {
      parameters: [ifNoneMatch, fields],
      ...withNotModified(
        answered({ description: 'The object.', as: kind, headers: etag, failures: ['NotFound', 'MethodNotAllowed'] }),
      ),
    }),
    put: operation(`update${freeName(`${kind}Status`)}`, `Replace the status of a ${singular}`, {
      parameters,
      requestBody: bodyOf(reference(freeName(`${kind}StatusInput`))),
      ...updated,
    }),
    patch: operation(`patch${freeName(`${kind}Status`)}`, `Change the status of a ${singular}`, {
      parameters,
      requestBody: patchBody,
      ...updated,
    }),
  }
}

export const bodyFailures: readonly Reason[] = ['PayloadTooLarge', 'UnsupportedMediaType', 'Invalid']

const etag = { ETag: { description: 'The state of the object.', schema: text } }
const updatedAnswer = {
  description: 'The object after the change.',
  headers: etag,
  failures: [
    ...bodyFailures,
    'VersionConflict',
    'DuplicateIndexValue',
    'PreconditionFailed',
  ] satisfies readonly Reason[],
}

function bodyOf(schema: Json): Json {
  return { required: true, content: { 'application/json': { schema } } }
}

/** A JSON Patch (RFC 6902). */
const jsonPatch = {
  type: 'array',
  maxItems: 1_000,
  items: {
    type: 'object',
    required: ['op', 'path'],
    properties: {
      op: { type: 'string', enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
      path: text,
      from: text,
      value: {},
    },
  },
}

const patchBody = {
  required: true,
  content: Object.fromEntries(
    Object.keys(patchTypes).map((type) => [
      type,
      {
        schema: type.includes('json-patch') ? jsonPatch : { type: 'object', additionalProperties: true },
      },
    ]),
  ),
}

function withNotModified(operation: Json): Json {
  const { responses } = operation as { responses: Json }
  return {
    ...operation,
    responses: { ...responses, 304: { description: 'The object has not changed since the ETag that was sent.' } },
  }
}

/** Errors that any operation may return: paths and parameters are checked everywhere, and a model can be gone. */
const anywhere: readonly Reason[] = [
  'BadRequest',
  'Unauthenticated',
  'Forbidden',
  'NotFound',
  'ModelNotFound',
  'Internal',
  'Unavailable',
]

/** Grouped by status, since several reasons may share one. */
export function refused(reasons: readonly Reason[], freeName: FreeName): Json {
  const byStatus = Map.groupBy([...reasons, ...anywhere], (reason) => problems[reason].status)
  return Object.fromEntries(
    [...byStatus].map(([status, all]) => [
      status,
      {
        description: all.map((reason) => problems[reason].title).join('; '),
        content: { 'application/problem+json': { schema: reference(freeName('Problem')) } },
      },
    ]),
  )
}
