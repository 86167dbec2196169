import { expect } from 'vitest'
import { hostVersion } from './base/host-version.ts'

export const token = 'pgs_test-token-test-token-test-token'
export const json = { 'content-type': 'application/json' }

export interface RequestRow {
  readonly what: string
  /** Method and target; a third word makes the request with the administrator's token. */
  readonly line: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly status: number
  /** Of the answer's body. */
  readonly contains?: object | string
  readonly answerHeaders?: Record<string, string>
}

/** Requests and their answers, the same on every engine. */
export const requestRows: readonly RequestRow[] = [
  {
    what: 'the built-in roles are listed',
    line: 'GET /api/v1alpha1/roles admin',
    status: 200,
    contains: {
      kind: 'RoleList',
      apiVersion: 'v1alpha1',
      page: 1,
      totalIsEstimate: false,
      first: true,
      last: true,
      hasNext: false,
      hasPrevious: false,
    },
  },
  {
    what: 'a page has its size and its neighbours',
    line: 'GET /api/v1alpha1/roles?page=2&size=3 admin',
    status: 200,
    contains: { page: 2, size: 3, totalPages: 3, first: false, last: false, hasNext: true, hasPrevious: true },
  },
  {
    what: 'a page past the end is empty',
    line: 'GET /api/v1alpha1/roles?page=99&size=3 admin',
    status: 200,
    contains: { items: [], last: true, hasNext: false },
  },
  {
    what: 'a role is read by name',
    line: 'GET /api/v1alpha1/roles/author admin',
    status: 200,
    contains: { kind: 'Role', metadata: { name: 'author', version: 0, generation: 1 } },
  },
  {
    what: 'a role is created, with what the server owns set by the server',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"metadata":{"name":"made","version":9,"uid":"mine","labels":{"a.example/b":"c"}},"rules":[]}',
    status: 201,
    contains: {
      apiVersion: 'v1alpha1',
      kind: 'Role',
      metadata: { name: 'made', version: 0, generation: 1, labels: { 'a.example/b': 'c' } },
    },
    answerHeaders: { location: '/api/v1alpha1/roles/made' },
  },
  {
    what: 'a name is made when asked for',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"kind":"Role","metadata":{"generateName":"made-"},"rules":[]}',
    status: 201,
    contains: { metadata: { name: expect.stringMatching(/^made-[a-z0-9]{8}$/) as string } },
  },
  {
    what: 'the checks come with details for callers that signed in',
    line: 'GET /readyz?verbose admin',
    status: 200,
    contains: `[ok]     accepting   requests, by version ${hostVersion}\n[ok]     database    `,
  },

  { what: 'the process is alive without credentials', line: 'GET /livez', status: 200, contains: 'ok\n' },
  { what: 'the server is ready without credentials', line: 'GET /readyz', status: 200, contains: 'ready\n' },
  {
    what: 'the checks are listed on request',
    line: 'GET /readyz?verbose',
    status: 200,
    contains: '[ok]     accepting\n[ok]     database\n[ok]     plugins\nready\n',
  },

  {
    what: 'no credentials',
    line: 'GET /api/v1alpha1/roles',
    status: 401,
    contains: { reason: 'Unauthenticated', instance: '/api/v1alpha1/roles' },
    answerHeaders: { 'www-authenticate': 'Bearer realm="pergola"', 'content-type': 'application/problem+json' },
  },
  { what: 'no credentials for a path that does not exist', line: 'GET /nowhere', status: 401 },
  {
    what: 'a wrong token, even where anybody may go',
    line: 'GET /readyz?verbose',
    headers: { authorization: 'Bearer wrong' },
    status: 401,
  },
  {
    what: 'no credentials, before the body is looked at',
    line: 'POST /api/v1alpha1/roles',
    headers: json,
    body: '{',
    status: 401,
  },
  {
    what: 'a path that does not exist',
    line: 'GET /nowhere admin',
    status: 404,
    contains: { reason: 'NotFound', status: 404, title: 'The object or path does not exist' },
  },
  {
    what: 'a model that does not exist',
    line: 'GET /apis/g.example/v1/todos admin',
    status: 404,
    contains: { reason: 'ModelNotFound' },
  },
  {
    what: 'a model in a version it does not have',
    line: 'GET /api/v1/roles admin',
    status: 404,
    contains: { reason: 'ModelNotFound' },
  },
  {
    what: 'an object that does not exist',
    line: 'GET /api/v1alpha1/roles/nobody admin',
    status: 404,
    contains: { reason: 'NotFound', detail: 'there is no role "nobody"' },
  },
  {
    what: 'a sub-resource that does not exist',
    line: 'GET /api/v1alpha1/roles/author/status admin',
    status: 404,
    contains: { reason: 'NotFound' },
  },
  { what: 'eight segments', line: 'GET /apis/a/b/c/d/e/f/g admin', status: 404 },
  {
    what: 'POST on an object, before anybody is asked who they are',
    line: 'POST /api/v1alpha1/roles/author',
    status: 405,
    contains: { reason: 'MethodNotAllowed' },
    answerHeaders: { allow: 'GET, HEAD, PUT, PATCH, DELETE' },
  },
  {
    what: 'a verb that is not served on a collection',
    line: 'PUT /api/v1alpha1/roles admin',
    headers: json,
    body: '{}',
    status: 405,
    answerHeaders: { allow: 'GET, HEAD, POST, DELETE' },
  },
  { what: 'a page that is written to', line: 'POST /livez admin', status: 405, answerHeaders: { allow: 'GET, HEAD' } },
  {
    what: 'a method that is no verb',
    line: 'OPTIONS /livez',
    status: 405,
    answerHeaders: { allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' },
  },
  { what: 'a method that the router does not know', line: 'PURGE /livez', status: 405 },
  { what: 'an empty segment', line: 'GET /api//roles admin', status: 400, contains: { reason: 'BadRequest' } },
  {
    what: 'a ".." segment',
    line: 'GET /api/v1alpha1/../v1alpha1/roles admin',
    status: 400,
    contains: { reason: 'BadRequest' },
  },
  { what: 'an encoded ".."', line: 'GET /api/%2e%2e/roles/x admin', status: 400 },
  { what: 'an encoded slash', line: 'GET /api/v1alpha1/roles/a%2Fb admin', status: 400 },
  { what: 'an encoded NUL', line: 'GET /api/v1alpha1/roles/a%00 admin', status: 400 },
  {
    what: 'a path that is not UTF-8',
    line: 'GET /api/v1alpha1/roles/%ff admin',
    status: 400,
    contains: { reason: 'BadRequest', instance: '/api/v1alpha1/roles/%ff' },
  },
  { what: 'half an escape', line: 'GET /api/v1alpha1/roles/%f admin', status: 400, contains: { reason: 'BadRequest' } },
  {
    what: 'page zero',
    line: 'GET /api/v1alpha1/roles?page=0&size=1 admin',
    status: 400,
    contains: { reason: 'InvalidPage' },
  },
  {
    what: 'a size that is no number',
    line: 'GET /api/v1alpha1/roles?size=many admin',
    status: 400,
    contains: { reason: 'InvalidPage' },
  },
  {
    what: 'a size given twice',
    line: 'GET /api/v1alpha1/roles?size=1&size=2 admin',
    status: 400,
    contains: { reason: 'InvalidPage' },
  },
  {
    what: 'a second page without a size',
    line: 'GET /api/v1alpha1/roles?page=2 admin',
    status: 400,
    contains: { reason: 'InvalidPage' },
  },
  {
    what: 'a query parameter that is not known',
    line: 'GET /api/v1alpha1/roles?labelselector=a admin',
    status: 400,
    contains: { reason: 'BadRequest' },
  },
  {
    what: 'a body of another kind',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"kind":"Rule"}',
    status: 400,
    contains: { reason: 'TypeMismatch' },
  },
  {
    what: 'a body that is no object',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '[]',
    status: 400,
    contains: { reason: 'BadRequest' },
  },
  {
    what: 'a body that is no JSON',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{',
    status: 400,
    contains: { reason: 'BadRequest' },
  },
  {
    what: 'a body with a key twice',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"metadata":{"name":"x"},"rules":[],"rules":[]}',
    status: 400,
    contains: { reason: 'BadRequest', errors: [{ pointer: '/rules', rule: 'duplicate' }] },
  },
  {
    what: 'a number that would be rounded',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"metadata":{"name":"x","version":9007199254740993},"rules":[]}',
    status: 422,
    contains: { reason: 'Invalid', errors: [{ field: 'metadata.version', rule: 'number' }] },
  },
  {
    what: 'a body of another type',
    line: 'POST /api/v1alpha1/roles admin',
    headers: { 'content-type': 'text/yaml' },
    body: 'a: b',
    status: 415,
    contains: { reason: 'UnsupportedMediaType' },
  },
  {
    what: 'a content type that cannot be read',
    line: 'POST /api/v1alpha1/roles admin',
    headers: { 'content-type': '!' },
    body: 'x',
    status: 415,
    contains: { reason: 'UnsupportedMediaType' },
  },
  {
    what: 'a content type that cannot be read, but no credentials either',
    line: 'POST /api/v1alpha1/roles',
    headers: { 'content-type': '!' },
    body: 'x',
    status: 401,
  },
  {
    what: 'a body that is encoded',
    line: 'POST /api/v1alpha1/roles admin',
    headers: { ...json, 'content-encoding': 'gzip' },
    body: 'x',
    status: 415,
  },
  {
    what: 'a path rule with a star in the middle',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"metadata":{"name":"x"},"rules":[{"nonResourceURLs":["/a*"],"verbs":["get"]}]}',
    status: 422,
  },
  {
    what: 'a path rule that is no path',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"metadata":{"name":"x"},"rules":[{"nonResourceURLs":["no-slash"],"verbs":["get"]}]}',
    status: 422,
  },
  {
    what: 'a resource rule with a star inside',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"metadata":{"name":"x"},"rules":[{"apiGroups":[""],"resources":["to*"],"verbs":["get"]}]}',
    status: 422,
  },
  { what: 'a body without a type', line: 'POST /api/v1alpha1/roles admin', body: '{}', status: 415 },
  {
    what: 'a name that is taken',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"metadata":{"name":"author"},"rules":[]}',
    status: 409,
    contains: { reason: 'AlreadyExists' },
  },
  {
    what: 'a body above 1 MiB',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: `"${'x'.repeat(1024 * 1024)}"`,
    status: 413,
    contains: { reason: 'PayloadTooLarge' },
  },
  {
    what: 'a body above 1 MiB whose length is not announced',
    line: 'POST /api/v1alpha1/roles admin',
    headers: { ...json, 'transfer-encoding': 'chunked' },
    body: `"${'x'.repeat(3 * 1024 * 1024)}"`,
    status: 413,
  },
  {
    what: 'a model whose group is an object that cannot be a text',
    line: 'POST /apis/plugin.platform.run/v1alpha1/models admin',
    headers: json,
    body: '{"spec":{"group":{"toString":1,"valueOf":1},"kind":"A","singular":"a","plural":"as","versions":[]}}',
    status: 422,
    contains: { reason: 'Invalid' },
  },
  {
    what: 'a rule of both kinds',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"metadata":{"name":"x"},"rules":[{"nonResourceURLs":["/x"],"resources":["y"],"verbs":["get"]}]}',
    status: 422,
    contains: {
      reason: 'Invalid',
      errors: [
        {
          pointer: '/rules/0/resources',
          field: 'rules[0].resources',
          rule: 'unknown',
          message: 'is not a known field',
        },
      ],
    },
  },
  {
    what: 'a rule without verbs',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"metadata":{"name":"x"},"rules":[{"nonResourceURLs":["/x"],"verbs":[]}]}',
    status: 422,
  },
  {
    what: 'a role without rules',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '{"metadata":{"name":"x"}}',
    status: 422,
  },
  ...['null', '5', '"made"', '[1]'].map((metadata) => ({
    what: `metadata that is ${metadata} is refused by an update as it is when an object is created`,
    line: 'PUT /api/v1alpha1/roles/author?dryRun=true admin',
    headers: json,
    body: `{"metadata":${metadata},"rules":[]}`,
    status: 422,
    contains: { reason: 'Invalid', errors: [{ pointer: '/metadata', rule: 'type' }] },
  })),
  {
    what: 'metadata that is null declares no model',
    line: 'POST /apis/plugin.platform.run/v1alpha1/models?dryRun=true admin',
    headers: json,
    body: '{"metadata":null,"spec":{"group":"a.example","kind":"A","singular":"a","plural":"as","versions":[{"name":"v1","schema":{"properties":{}}}]}}',
    status: 422,
    contains: { reason: 'Invalid', errors: [{ pointer: '/metadata', rule: 'type' }] },
  },
  {
    what: 'an expectation that nobody knows is left to the client',
    line: 'GET /api/v1alpha1/roles/author admin',
    headers: { expect: 'the-best' },
    status: 200,
  },
  {
    what: 'and gives away nothing to whoever is not let in',
    line: 'GET /api/v1alpha1/roles/author',
    headers: { expect: 'the-best' },
    status: 401,
  },
  {
    what: 'as many terms as a selector may have, of both selectors',
    line: `GET /api/v1alpha1/roles?labelSelector=${terms(50)}&fieldSelector=${terms(50, 'metadata.name!=a')} admin`,
    status: 200,
  },
  {
    what: 'more terms than a selector may have, in parameters that are repeated',
    line: `GET /api/v1alpha1/roles?${`labelSelector=${terms(100)}&`.repeat(15)}size=1 admin`,
    status: 400,
    contains: { reason: 'InvalidSelector' },
  },
  {
    what: 'an upgrade that is not served ends the connection',
    line: 'GET /livez admin',
    headers: { connection: 'upgrade', upgrade: 'websocket' },
    status: 405,
    answerHeaders: { connection: 'close' },
  },
]

function terms(count: number, term = '!k'): string {
  return Array.from({ length: count }, () => term).join(',')
}
