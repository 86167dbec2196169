import type { Reason } from '@pergola/api'
import { problems } from '@pergola/api'
import { pathOf, type Model } from '../models/model.ts'
import { patchTypes } from '../models/patch.ts'

type Json = Readonly<Record<string, unknown>>

const query = (name: string, description: string, schema: Json): Json => ({ name, in: 'query', description, schema })
const text = { type: 'string' }
const texts = { type: 'array', items: text }

const dryRun = query('dryRun', 'Do everything but store it.', { type: 'boolean', default: false })
const ifMatch = { name: 'If-Match', in: 'header', description: 'Only while the object is in this state.', schema: text }
const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  description: 'Answer 304 while the object is in this state.',
  schema: text,
}
const selectors = [
  query(
    'labelSelector',
    'Terms such as `key=value`, `key!=value`, `key`, `!key`, `key=(a,b)`, joined by commas.',
    texts,
  ),
  query('fieldSelector', 'The same on indexed fields, and `field>value`, `>=`, `<`, `<=`, `field^=prefix`.', texts),
]
const paging = [
  query('page', 'From 1 on; needs a size.', { type: 'integer', minimum: 1 }),
  query('size', 'Objects a page; without one, all of them.', { type: 'integer', minimum: 1 }),
  query('sort', '`<field>,asc` or `<field>,desc` of an indexed field; may be repeated.', texts),
  query('continue', 'From an answer before; carries everything else.', text),
  query('exactTotal', 'Count all, however many.', { type: 'boolean', default: false }),
]

/** Every operation of a model, by path and method. */
export function modelPaths(model: Model): Json {
  const { kind, plural, singular, statusSubresource } = model
  const name = { name: 'name', in: 'path', required: true, description: `The ${singular}'s name.`, schema: text }
  const object = { $ref: `#/components/schemas/${kind}` }
  const tags = [plural]
  const operation = (id: string, summary: string, rest: Json): Json => ({ operationId: id, summary, tags, ...rest })
  const answered = (status: number, description: string, schema: Json, failures: readonly Reason[]): Json => ({
    responses: {
      [status]: { description, headers: etag, content: { 'application/json': { schema } } },
      ...refused(failures),
    },
  })
  const body = { requestBody: { required: true, content: { 'application/json': { schema: object } } } }
  const patchBody = { requestBody: { required: true, content: patchContent } }
  const writes: readonly Reason[] = [
    'BadRequest',
    'NotFound',
    'VersionConflict',
    'PreconditionFailed',
    'PayloadTooLarge',
    'UnsupportedMediaType',
    'Invalid',
  ]
  const updated = answered(200, 'As it is stored now.', object, writes)
  const path = pathOf(model)
  return {
    [path]: {
      get: operation(`list${kind}`, `List ${plural}`, {
        parameters: [...selectors, ...paging],
        ...answered(200, 'A page of them.', { $ref: `#/components/schemas/${kind}List` }, [
          'BadRequest',
          'TooManyRequests',
          'IndexBuilding',
        ]),
      }),
      post: operation(`create${kind}`, `Create a ${singular}`, {
        parameters: [dryRun],
        ...body,
        ...answered(201, 'As it was stored.', object, [
          'BadRequest',
          'AlreadyExists',
          'PayloadTooLarge',
          'UnsupportedMediaType',
          'Invalid',
        ]),
      }),
      delete: operation(`delete${kind}Collection`, `Delete ${plural}`, {
        parameters: [
          ...selectors,
          query('all', 'Needed where no selector is given.', { type: 'boolean', default: false }),
          dryRun,
        ],
        ...answered(200, 'How many.', { $ref: '#/components/schemas/DeletedCollection' }, ['BadRequest']),
      }),
    },
    [`${path}/{name}`]: {
      parameters: [name],
      get: operation(`get${kind}`, `Read a ${singular}`, {
        parameters: [ifNoneMatch],
        ...withNotModified(answered(200, 'The object.', object, ['NotFound'])),
      }),
      put: operation(`update${kind}`, `Replace a ${singular}`, { parameters: [ifMatch, dryRun], ...body, ...updated }),
      patch: operation(`patch${kind}`, `Change a ${singular}`, {
        parameters: [ifMatch, dryRun],
        ...patchBody,
        ...updated,
      }),
      delete: operation(`delete${kind}`, `Delete a ${singular}`, {
        parameters: [ifMatch, dryRun],
        ...answered(200, 'As it was last, or as it waits for its finalizers.', object, [
          'BadRequest',
          'NotFound',
          'PreconditionFailed',
        ]),
      }),
    },
    ...(statusSubresource &&
      !model.rules.ownsStatus && {
        [`${path}/{name}/status`]: {
          parameters: [name],
          put: operation(`update${kind}Status`, `Replace the status of a ${singular}`, {
            parameters: [ifMatch, dryRun],
            ...body,
            ...updated,
          }),
          patch: operation(`patch${kind}Status`, `Change the status of a ${singular}`, {
            parameters: [ifMatch, dryRun],
            ...patchBody,
            ...updated,
          }),
        },
      }),
  }
}

const etag = { ETag: { description: 'The state of the object.', schema: text } }

const patchContent = Object.fromEntries(
  Object.keys(patchTypes).map((type) => [
    type,
    {
      schema: type.includes('json-patch')
        ? { type: 'array', maxItems: 1_000, items: { type: 'object' } }
        : { type: 'object' },
    },
  ]),
)

function withNotModified(operation: Json): Json {
  const { responses } = operation as { responses: Json }
  return { ...operation, responses: { ...responses, 304: { description: 'It is in the state that the reader has.' } } }
}

/** By status, since several reasons may share one. */
function refused(reasons: readonly Reason[]): Json {
  const always: readonly Reason[] = ['Unauthenticated', 'Forbidden', 'Internal', 'Unavailable']
  const byStatus = Map.groupBy([...reasons, ...always], (reason) => problems[reason].status)
  return Object.fromEntries(
    [...byStatus].map(([status, all]) => [
      status,
      {
        description: all.map((reason) => problems[reason].title).join('; '),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  )
}
