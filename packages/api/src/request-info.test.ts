import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isApiError } from './problem.ts'
import { isNamedCreate, requestInfo, type RequestHead } from './request-info.ts'
import { verbs } from './rules.ts'

function head(line: string, headers: RequestHead['headers'] = {}): RequestHead {
  const [method = '', target = ''] = line.split(' ')
  return { method, target, headers }
}

/** Short form of a result: `verb group|version|resource|name|subresource`, or `verb path` for a non-resource request. */
function read(line: string, headers?: RequestHead['headers']): string {
  const info = requestInfo(head(line, headers))
  if (info.kind === 'non-resource') return `${info.verb} ${info.path}`
  const parts = [info.group, info.version, info.resource, info.name, info.subresource]
  return `${info.verb} ${parts.filter((part) => part !== undefined).join('|')}`
}

function reasonOf(line: string): string {
  try {
    return read(line)
  } catch (error) {
    return isApiError(error) ? error.reason : String(error)
  }
}

const stream = { accept: 'text/event-stream' }
const socket = { upgrade: 'websocket' }

describe('resource requests', () => {
  const cases = [
    ['a core collection', 'GET /api/v1alpha1/roles', 'list |v1alpha1|roles'],
    ['a core object', 'GET /api/v1alpha1/roles/author', 'get |v1alpha1|roles|author'],
    ['a core sub-resource', 'GET /api/v1alpha1/roles/author/status', 'get |v1alpha1|roles|author|status'],
    ['a collection of a group', 'GET /apis/todo.example.com/v1/todos', 'list todo.example.com|v1|todos'],
    ['an object of a group', 'GET /apis/todo.example.com/v1/todos/milk', 'get todo.example.com|v1|todos|milk'],
    ['a sub-resource of a group', 'PUT /apis/g.example/v1/todos/milk/status', 'update g.example|v1|todos|milk|status'],
    ['creation', 'POST /apis/g.example/v1/todos', 'create g.example|v1|todos'],
    ['creation of a sub-resource', 'POST /apis/g.example/v1/todos/milk/share', 'create g.example|v1|todos|milk|share'],
    [
      'creation of a sub-resource of the collection',
      'POST /apis/g.example/v1/todos/-/stats',
      'create g.example|v1|todos|-|stats',
    ],
    ['replacement', 'PUT /apis/g.example/v1/todos/milk', 'update g.example|v1|todos|milk'],
    ['a partial update', 'PATCH /apis/g.example/v1/todos/milk', 'patch g.example|v1|todos|milk'],
    ['deletion of one', 'DELETE /apis/g.example/v1/todos/milk', 'delete g.example|v1|todos|milk'],
    ['deletion of a collection', 'DELETE /apis/g.example/v1/todos', 'deletecollection g.example|v1|todos'],
    ['HEAD of a collection', 'HEAD /apis/g.example/v1/todos', 'list g.example|v1|todos'],
    ['HEAD of an object', 'HEAD /apis/g.example/v1/todos/milk', 'get g.example|v1|todos|milk'],
    ['a query, which is not part of the path', 'GET /api/v1alpha1/roles?size=1&x=/a/b', 'list |v1alpha1|roles'],
    ['a target in absolute form', 'GET http://user@host:1/api/v1alpha1/roles?x', 'list |v1alpha1|roles'],
    ['a percent-encoded segment, decoded', 'GET /api/v1alpha1/r%6Fles/%C3%A9', 'get |v1alpha1|roles|é'],
  ] as const
  for (const [what, line, expected] of cases) test(`reads ${what}`, () => expect(read(line)).toBe(expected))
})

describe('non-resource requests', () => {
  const cases = [
    ['the root', 'GET /', 'get /'],
    ['a health check', 'GET /livez', 'get /livez'],
    ['HEAD', 'HEAD /livez', 'get /livez'],
    ['/api with two segments', 'GET /api/v1alpha1', 'get /api/v1alpha1'],
    ['/api with six segments', 'GET /api/v1/a/b/c/d', 'get /api/v1/a/b/c/d'],
    ['/apis with three segments', 'GET /apis/g.example/v1', 'get /apis/g.example/v1'],
    ['/apis with seven segments', 'GET /apis/g.example/v1/a/b/c/d', 'get /apis/g.example/v1/a/b/c/d'],
    ['/apis alone', 'GET /apis', 'get /apis'],
    ['a prefix that only looks like /api', 'DELETE /apix/v1/roles', 'delete /apix/v1/roles'],
    ['POST', 'POST /auth/sessions', 'create /auth/sessions'],
    ['PUT', 'PUT /auth/password', 'update /auth/password'],
    ['PATCH', 'PATCH /x', 'patch /x'],
  ] as const
  for (const [what, line, expected] of cases) test(`reads ${what} as a path`, () => expect(read(line)).toBe(expected))
})

describe('watch', () => {
  const collection = 'GET /apis/g.example/v1/todos'
  const cases = [
    ['an event stream of a collection', collection, stream, 'watch g.example|v1|todos'],
    ['an event stream of an object', `${collection}/milk`, stream, 'watch g.example|v1|todos|milk'],
    ['a WebSocket', collection, socket, 'watch g.example|v1|todos'],
    ['a WebSocket in capitals among others', collection, { upgrade: 'h2c, WebSocket' }, 'watch g.example|v1|todos'],
    [
      'an event stream named among others',
      collection,
      { accept: 'application/json, Text/Event-Stream;q=0.5' },
      'watch g.example|v1|todos',
    ],
    ['an event stream of a path', 'GET /console/events', stream, 'watch /console/events'],
  ] as const
  for (const [what, line, headers, expected] of cases)
    test(`is ${what}`, () => expect(read(line, headers)).toBe(expected))

  const others = [
    ['a wildcard', collection, { accept: '*/*' }, 'list g.example|v1|todos'],
    ['a wildcard of text', collection, { accept: 'text/*' }, 'list g.example|v1|todos'],
    ['an event stream with q=0', collection, { accept: 'text/event-stream;q=0.0, */*' }, 'list g.example|v1|todos'],
    ['HEAD', 'HEAD /apis/g.example/v1/todos', stream, 'list g.example|v1|todos'],
    ['POST', 'POST /apis/g.example/v1/todos', stream, 'create g.example|v1|todos'],
    ['an upgrade to something else', collection, { upgrade: 'h2c' }, 'list g.example|v1|todos'],
  ] as const
  for (const [what, line, headers, expected] of others)
    test(`is not ${what}`, () => expect(read(line, headers)).toBe(expected))
})

describe('rejected', () => {
  const cases = [
    ['an empty segment', 'GET /api//roles', 'BadRequest'],
    ['a trailing slash', 'GET /livez/', 'BadRequest'],
    ['a trailing slash on a console page', 'GET /console/users/', 'BadRequest'],
    ['two slashes alone', 'GET //', 'BadRequest'],
    ['a "." segment', 'GET /api/./roles', 'BadRequest'],
    ['a ".." segment', 'GET /api/v1/../secrets', 'BadRequest'],
    ['an encoded ".."', 'GET /api/v1/%2e%2E/secrets', 'BadRequest'],
    ['an encoded slash', 'GET /api/v1/roles/a%2Fb', 'BadRequest'],
    ['an encoded NUL', 'GET /api/v1/roles/a%00', 'BadRequest'],
    ['bytes that are not UTF-8', 'GET /api/v1/roles/%ff', 'BadRequest'],
    ['an incomplete percent-encoding', 'GET /api/v1/roles/%f', 'BadRequest'],
    ['a raw byte beyond ASCII', 'GET /api/v1/roles/é', 'BadRequest'],
    ['a fragment', 'GET /api/v1/roles#x', 'BadRequest'],
    ['a target of another scheme', 'GET ftp://x/api/v1/roles', 'BadRequest'],
    ['the target "*"', 'OPTIONS *', 'BadRequest'],
    ['eight segments', 'GET /apis/g.example/v1/a/b/c/d/e', 'NotFound'],
    ['a method without a verb', 'OPTIONS /livez', 'MethodNotAllowed'],
    ['a method without a verb, on a resource', 'TRACE /api/v1alpha1/roles', 'MethodNotAllowed'],
    ['a method in lower case', 'get /livez', 'MethodNotAllowed'],
  ] as const
  for (const [what, line, reason] of cases) test(`is ${what}`, () => expect(reasonOf(line)).toBe(reason))
})

test('a POST to an object is distinguished from the creation of a sub-resource', () => {
  const named = (line: string) => isNamedCreate(requestInfo(head(line)))
  expect(named('POST /api/v1alpha1/roles/author')).toBe(true)
  expect(named('POST /api/v1alpha1/roles/-')).toBe(true)
  expect(named('POST /api/v1alpha1/roles/author/copy')).toBe(false)
  expect(named('POST /api/v1alpha1/roles')).toBe(false)
  expect(named('PUT /api/v1alpha1/roles/author')).toBe(false)
  expect(named('POST /auth/sessions')).toBe(false)
})

describe('for any target', () => {
  const target = fc.oneof(
    fc.string().map((text) => `/${text}`),
    fc
      .array(fc.oneof(fc.string(), fc.constantFrom('api', 'apis', '..', '%2e', '%2F', 'v1')))
      .map((parts) => `/${parts.join('/')}`),
  )
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE')

  test('the result has a known verb and a normalised path, or the request is rejected', () => {
    fc.assert(
      fc.property(method, target, (verb, path) => {
        try {
          const info = requestInfo({ method: verb, target: path, headers: {} })
          expect(verbs).toContain(info.verb)
          expect(info.path === '/' || info.path.slice(1).split('/').length <= 7).toBe(true)
          expect(info.path.slice(1).split('/')).not.toContain('..')
          expect(info.path).not.toContain('//')
        } catch (error) {
          expect(['BadRequest', 'NotFound']).toContain(isApiError(error) && error.reason)
        }
      }),
    )
  })

  test('percent-encoding segments differently does not change the result', () => {
    const segment = fc.stringMatching(/^[a-z0-9é☃]{1,8}$/)
    fc.assert(
      fc.property(fc.constantFrom('api', 'apis', 'x'), fc.array(segment, { maxLength: 6 }), (root, rest) => {
        const segments = [root, ...rest]
        const plain = segments.map(encodeURIComponent).join('/')
        const heavy = segments
          .map((part) => [...Buffer.from(part)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''))
          .join('/')
        expect(read(`GET /${heavy}`)).toBe(read(`GET /${plain}`))
      }),
    )
  })
})
