import { hostVersion } from '../base/host-version.ts'

export const token = 'pgs_test-token-test-token-test-token'
export const json = { 'content-type': 'application/json' }

export interface RequestRow {
  readonly what: string
  /** Method and target; a third word makes the request with the administrator's token. */
  readonly line: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly status: number
  /** Expected in the body of the response. */
  readonly contains?: object | string
  readonly answerHeaders?: Record<string, string>
}

/** Requests and their responses, the same on every engine. */
export const requestRows: readonly RequestRow[] = [
  {
    what: 'readyz?verbose of a super administrator, with details',
    line: 'GET /readyz?verbose admin',
    status: 200,
    contains: `[ok]     accepting   requests, by version ${hostVersion}, replica `,
  },

  { what: 'livez without credentials', line: 'GET /livez', status: 200, contains: 'ok\n' },
  { what: 'readyz without credentials', line: 'GET /readyz', status: 200, contains: 'ready\n' },
  {
    what: 'readyz?verbose without credentials, without details',
    line: 'GET /readyz?verbose',
    status: 200,
    contains: '[ok]     accepting\n[ok]     database\n[ok]     secrets\n[ok]     plugins\nready\n',
  },

  {
    what: 'a browser at the address of the server',
    line: 'GET /',
    headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    status: 303,
    answerHeaders: { location: '/console' },
  },
  { what: 'a program at the address of the server', line: 'GET /', headers: { accept: '*/*' }, status: 401 },
  {
    what: 'no credentials',
    line: 'GET /api/v1alpha1/roles',
    status: 401,
    contains: { reason: 'Unauthenticated', instance: '/api/v1alpha1/roles' },
    answerHeaders: { 'www-authenticate': 'Bearer realm="pergola"', 'content-type': 'application/problem+json' },
  },
  {
    what: 'no credentials, before the body is parsed',
    line: 'POST /api/v1alpha1/roles',
    headers: json,
    body: '{',
    status: 401,
  },
  {
    what: 'a sub-resource that does not exist',
    line: 'GET /api/v1alpha1/roles/author/status admin',
    status: 404,
    contains: { reason: 'NotFound' },
  },
  {
    what: 'a method without a verb',
    line: 'OPTIONS /livez',
    status: 405,
    answerHeaders: { allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' },
  },
  { what: 'a method that the router does not know', line: 'PURGE /livez', status: 405 },
  {
    what: 'a path that is not UTF-8',
    line: 'GET /api/v1alpha1/roles/%ff admin',
    status: 400,
    contains: { reason: 'BadRequest', instance: '/api/v1alpha1/roles/%ff' },
  },
  {
    what: 'an incomplete percent escape',
    line: 'GET /api/v1alpha1/roles/%f admin',
    status: 400,
    contains: { reason: 'BadRequest' },
  },
  {
    what: 'a size given twice',
    line: 'GET /api/v1alpha1/roles?size=1&size=2 admin',
    status: 400,
    contains: { reason: 'InvalidPage' },
  },
  {
    what: 'an unknown query parameter',
    line: 'GET /api/v1alpha1/roles?labelselector=a admin',
    status: 400,
    contains: { reason: 'BadRequest' },
  },
  {
    what: 'a body that is not an object',
    line: 'POST /api/v1alpha1/roles admin',
    headers: json,
    body: '[]',
    status: 400,
    contains: { reason: 'BadRequest' },
  },
  {
    what: 'a malformed content type',
    line: 'POST /api/v1alpha1/roles admin',
    headers: { 'content-type': '!' },
    body: 'x',
    status: 415,
    contains: { reason: 'UnsupportedMediaType' },
  },
  {
    what: 'a malformed content type without credentials',
    line: 'POST /api/v1alpha1/roles',
    headers: { 'content-type': '!' },
    body: 'x',
    status: 401,
  },
  {
    what: 'a compressed body',
    line: 'POST /api/v1alpha1/roles admin',
    headers: { ...json, 'content-encoding': 'gzip' },
    body: 'x',
    status: 415,
  },
  { what: 'a body without a content type', line: 'POST /api/v1alpha1/roles admin', body: '{}', status: 415 },
  {
    what: 'a chunked body above 1 MiB',
    line: 'POST /api/v1alpha1/roles admin',
    headers: { ...json, 'transfer-encoding': 'chunked' },
    body: `"${'x'.repeat(3 * 1024 * 1024)}"`,
    status: 413,
  },
  {
    what: 'a model whose group is an object that cannot be converted to a string',
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
  ...['null', '5', '"made"', '[1]'].map((metadata) => ({
    what: `an update whose metadata is ${metadata}`,
    line: 'PUT /api/v1alpha1/roles/author?dryRun=true admin',
    headers: json,
    body: `{"metadata":${metadata},"rules":[]}`,
    status: 422,
    contains: { reason: 'Invalid', errors: [{ pointer: '/metadata', rule: 'type' }] },
  })),
  {
    what: 'a model whose metadata is null',
    line: 'POST /apis/plugin.platform.run/v1alpha1/models?dryRun=true admin',
    headers: json,
    body: '{"metadata":null,"spec":{"group":"a.example","kind":"A","singular":"a","plural":"as","versions":[{"name":"v1","schema":{"properties":{}}}]}}',
    status: 422,
    contains: { reason: 'Invalid', errors: [{ pointer: '/metadata', rule: 'type' }] },
  },
  {
    what: 'an unknown Expect header, which is ignored',
    line: 'GET /api/v1alpha1/roles/author admin',
    headers: { expect: 'the-best' },
    status: 200,
  },
  {
    what: 'an unknown Expect header without credentials',
    line: 'GET /api/v1alpha1/roles/author',
    headers: { expect: 'the-best' },
    status: 401,
  },
  {
    what: 'the maximum number of selector terms',
    line: `GET /api/v1alpha1/roles?labelSelector=${terms(50)}&fieldSelector=${terms(50, 'metadata.name!=a')} admin`,
    status: 200,
  },
  {
    what: 'too many selector terms in repeated parameters',
    line: `GET /api/v1alpha1/roles?${`labelSelector=${terms(100)}&`.repeat(15)}size=1 admin`,
    status: 400,
    contains: { reason: 'InvalidSelector' },
  },
  {
    what: 'an unsupported upgrade, which closes the connection',
    line: 'GET /livez admin',
    headers: { connection: 'upgrade', upgrade: 'websocket' },
    status: 405,
    answerHeaders: { connection: 'close' },
  },
]

function terms(count: number, term = '!k'): string {
  return Array.from({ length: count }, () => term).join(',')
}
