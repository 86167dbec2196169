import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startHost, type PluginHost } from './plugin-host.ts'

const models = '/apis/plugin.platform.run/v1alpha1/models'
const notes = '/apis/notes.example.com/v1/notes'
const roles = '/api/v1alpha1/roles'
const tokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'
const profile = '/apis/api.platform.run/v1alpha1/users/-'

const text = { type: 'string' }
const address = { type: 'object', required: ['port'], properties: { port: { type: 'integer' } } }

const model = (spec: object, more: object = {}) => ({
  spec: {
    group: 'notes.example.com',
    kind: 'Note',
    singular: 'note',
    plural: 'notes',
    versions: [{ name: 'v1', schema: { properties: { spec: { type: 'object', ...spec } } } }],
    ...more,
  },
})

const note = model(
  {
    required: ['title'],
    properties: {
      title: { type: 'string', minLength: 1 },
      slug: text,
      views: { type: 'integer' },
      address: { oneOf: [text, address] },
      words: { type: 'array', items: { type: 'string', maxLength: 5 } },
    },
  },
  { indexes: [{ name: 'spec.slug', unique: true }, { name: 'spec.views' }] },
)

const other = (properties: object) => model({ properties }, { kind: 'Other', singular: 'other', plural: 'others' })
const ofSchema = 'spec.versions[0].schema.properties.spec.properties'

let host: PluginHost
let name: string

beforeAll(async () => {
  host = await startHost('SQLite')
  const made = await host.send(`POST ${models}`, { token: host.admin, body: note })
  name = (made.body['metadata'] as { name: string }).name
  const first = { metadata: { name: 'first' }, spec: { title: 'First', slug: 'first' } }
  await host.send(`POST ${notes}`, { token: host.admin, body: first })
})
afterAll(() => host[Symbol.asyncDispose]())

interface Told {
  readonly what: string
  readonly line: string | (() => string)
  readonly body?: object
  readonly detail: string
  /** Pointer, rule and message of every error. */
  readonly errors?: readonly (readonly [pointer: string, rule: string, message?: string])[]
}

const told: readonly Told[] = [
  {
    what: 'a misspelled schema keyword, with a suggestion',
    line: `POST ${models}`,
    body: other({ m: { type: 'string', minLenght: 3 } }),
    detail: `the model is not valid: ${ofSchema}.m.minLenght is not a keyword of schemas; did you mean minLength?`,
  },
  {
    what: 'the place of an invalid value in a schema',
    line: `POST ${models}`,
    body: other({ m: { type: 'string', minLength: -1 } }),
    detail: `the model is not valid: ${ofSchema}.m.minLength must be 0 or more`,
  },
  {
    what: 'a default that violates its own schema',
    line: `POST ${models}`,
    body: other({ m: { enum: ['a', 'b'], default: 'c' } }),
    detail: `the model is not valid: ${ofSchema}.m.default must be one of a, b`,
  },
  {
    what: 'that the group of a model cannot change',
    line: () => `PUT ${models}/${name}`,
    body: { spec: { ...note.spec, group: 'other.example.com' } },
    detail: 'the model is not valid: spec.group is "notes.example.com" and cannot be changed',
  },
  {
    what: 'a value that matches no alternative, as one error',
    line: `POST ${notes}`,
    body: { metadata: { name: 'a' }, spec: { title: 'A', address: 5 } },
    detail: 'the note is not valid: spec.address must match exactly one of the allowed schemas; it matches none',
    errors: [['/spec/address', 'oneOf']],
  },
  {
    what: 'the error of the closest alternative',
    line: `POST ${notes}`,
    body: { metadata: { name: 'a' }, spec: { title: 'A', address: { port: 'x' } } },
    detail: 'the note is not valid: spec.address.port must be of type integer',
    errors: [['/spec/address/port', 'type']],
  },
  {
    what: 'three errors in the detail, the number of the others, and all in the list',
    line: `POST ${notes}`,
    body: { metadata: { name: 'a' }, spec: { title: '', words: ['too long', 'abcdef', 'ok', 'longer'] } },
    detail:
      'the note is not valid: spec.title must have at least 1 character; spec.words[0] must have at most 5 characters; spec.words[1] must have at most 5 characters; and 1 more',
    errors: [
      ['/spec/title', 'minLength'],
      ['/spec/words/0', 'maxLength'],
      ['/spec/words/1', 'maxLength'],
      ['/spec/words/3', 'maxLength'],
    ],
  },
  {
    what: 'a duplicate name, at its field',
    line: `POST ${notes}`,
    body: { metadata: { name: 'first' }, spec: { title: 'A' } },
    detail: 'note "first" exists already; choose another name',
    errors: [['/metadata/name', 'exists', 'is taken; choose another one']],
  },
  {
    what: 'a duplicate unique value, at its field',
    line: `POST ${notes}`,
    body: { metadata: { name: 'second' }, spec: { title: 'A', slug: 'first' } },
    detail: 'note "second": the value "first" of spec.slug is taken by "first"',
    errors: [['/spec/slug', 'unique', 'is taken by "first"']],
  },
  {
    what: 'a version conflict, with the stored version',
    line: `PUT ${notes}/first`,
    body: { metadata: { version: 7 }, spec: { title: 'A' } },
    detail: 'note "first" is at version 0, the update carries 7; read it again and retry',
    errors: [['/metadata/version', 'version', 'is 0 by now']],
  },
  {
    what: 'that partial wildcards are not supported',
    line: `POST ${roles}`,
    body: { metadata: { name: 'r' }, rules: [{ apiGroups: ['to*'], resources: ['*'], verbs: ['get'] }] },
    detail:
      'the role is not valid: rules[0].apiGroups[0] may contain "*" only as the whole value; partial wildcards are not supported',
  },
  ...['-spec.views', 'spec.views:desc', 'spec.views%20desc'].map((sort) => ({
    what: `the syntax of sort, for ${sort}`,
    line: `GET ${notes}?sort=${sort}`,
    detail: `sort "${decodeURIComponent(sort)}" cannot be read; write sort=spec.views,desc`,
  })),
  {
    what: 'a misspelled index, with a suggestion',
    line: `GET ${notes}?sort=spec.vews`,
    detail:
      'sort: "spec.vews" is not indexed in notes; did you mean spec.views?; indexed are metadata.name, metadata.creationTimestamp, metadata.deletionTimestamp, spec.slug, spec.views',
  },
  {
    what: 'the field of a token as it was sent',
    line: `POST ${tokens}`,
    body: { expiresAt: '2030' },
    detail: 'the token is not valid: expiresAt must be a valid date-time, such as 2030-01-31T07:30:00Z',
    errors: [['/expiresAt', 'format']],
  },
  {
    what: 'the field of a profile as it was sent',
    line: `PATCH ${profile}`,
    body: { email: 'nobody' },
    detail: 'the profile is not valid: email must be a valid email',
    errors: [['/email', 'format']],
  },
]

describe('a problem reports', () => {
  for (const { what, line, body, detail, errors } of told) {
    test(what, async () => {
      const request = typeof line === 'string' ? line : line()
      const { body: problem } = await host.send(request, { token: host.admin, ...(body && { body }) })
      expect(problem['detail']).toBe(detail)
      if (!errors) return
      const found = problem['errors'] as unknown as readonly { pointer: string; rule: string; message: string }[]
      expect(found.map((one, at) => [one.pointer, one.rule, one.message].slice(0, errors[at]?.length))).toEqual(errors)
    })
  }
})
