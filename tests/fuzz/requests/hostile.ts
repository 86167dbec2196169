import type { Random } from '../random.ts'
import { known, read, write, type Shot, type World } from '../shot.ts'
import { anyText } from '../schema-values.ts'
import { hostileBody } from './hostile-bodies.ts'
import { hostileBytes } from './hostile-bytes.ts'
import { hostileDefinition } from './hostile-definitions.ts'
import { hostilePatch } from './hostile-patches.ts'
import { hostileQuery } from './hostile-queries.ts'

/** Hostile requests. The response must be a success or a client error. */
export function hostileShot(world: World): Shot | undefined {
  const choices: readonly [number, () => Shot | undefined][] = [
    [18, () => path(world)],
    [18, () => headers(world)],
    [25, () => hostileQuery(world)],
    [25, () => hostileBody(world)],
    [15, () => hostilePatch(world)],
    [8, () => method(world)],
    [4, () => hostileDefinition(world)],
    [4, () => hostileBytes(world)],
  ]
  let left = world.random.whole(
    1,
    choices.reduce((sum, [weight]) => sum + weight, 0),
  )
  return choices.find(([weight]) => (left -= weight) <= 0)?.[1]()
}

const badSegments = [
  '..', '.', '%2e%2e', '%2E', '%2f', 'a%2fb', 'a%2Fb', '%5c', '%00', 'a%00b', '%ff', '%c0%af', '%', '%zz', '%e0%80', '',
  '%ed%a0%80', ';a=b', '*', '-', '__proto__', 'constructor', '%F0%9F%98%80', '%E2%80%AE', "'", '"', '%22', '%0d%0a', '~',
  '$', '{name}', '%7Bname%7D', 'status', 'STATUS',
] // prettier-ignore

function path(world: World): Shot {
  const { random } = world
  const model = random.pick(world.models)
  const segments = model.path.slice(1).split('/')
  const bad = random.chance(0.1) ? 'x'.repeat(random.pick([300, 4_000, 12_000])) : random.pick(badSegments)
  const at = random.whole(0, segments.length)
  const changed = random.chance(0.5)
    ? segments.with(Math.min(at, segments.length - 1), bad)
    : segments.toSpliced(at, 0, bad)
  const more = Array.from({ length: random.pick([0, 0, 0, 1, 4]) }, () => 'x')
  const prefix = random.pick(['/', '/', '/', '//', '/./', 'http://other.example/', '/openapi/v3/', '/openapi/'])
  const sent = `${prefix}${[...changed, ...more].join('/')}${random.pick(['', '', '/', '?', '#x', '%'])}`
  const line = random.chance(0.6)
    ? { method: random.pick(['GET', 'HEAD', 'DELETE']), path: sent, headers: {} }
    : write(random.pick(['POST', 'PUT', 'PATCH']), sent, {})
  return { kind: 'hostile', what: 'path', expected: 'any', line }
}

const mediaTypes = [
  '', 'application/json; charset=utf-16', 'application/json;;;', 'APPLICATION/JSON', 'text/plain', 'application/xml', '*/*',
  'application/json, text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', ' application/json ',
  'application/json-patch+json', 'application/merge-patch+json', 'x', '/', ';', 'application/json\t;a=b',
] // prettier-ignore
const tags = [
  '', '*', '"', '""', 'W/""', '"a', ',,,', '*, "x"', '"a" "b"', 'W/"', '\u00ff\u00fe', '"a",'.repeat(1_000), '-1', 'null', '[]',
] // prettier-ignore
const accepts = [
  'text/event-stream',
  'text/event-stream;q=0',
  'a/b, text/event-stream',
  'image/png',
  ';',
  ',',
  '*/*;q=x',
]

function headers(world: World): Shot {
  const { random } = world
  const model = random.pick(world.models)
  const object = known(world, model)
  const at = random.chance(0.6) && object ? `${model.path}/${object.name}` : model.path
  const sent = hostileHeaders(random)
  const isRead = 'accept' in sent || 'upgrade' in sent || 'if-none-match' in sent || random.chance(0.3)
  const line = isRead
    ? read(`${at}${object && at !== model.path ? '' : '?size=1'}`, sent)
    : write(random.pick(['POST', 'PUT', 'PATCH']), at, object?.body ?? {}, sent)
  return { kind: 'hostile', what: `header ${Object.keys(sent).join()}`, expected: 'any', line }
}

function hostileHeaders(random: Random): Record<string, string | readonly string[]> {
  return random.pick<() => Record<string, string | readonly string[]>>([
    () => ({ 'content-type': random.pick(mediaTypes) }),
    () => ({ 'content-type': random.pick(mediaTypes) }),
    () => ({ 'content-encoding': random.pick(['gzip', 'br', 'identity', 'identity, gzip', 'x', '']) }),
    () => ({ 'if-match': random.pick(tags) }),
    () => ({ 'if-match': ['"a"', '"b"'] }),
    () => ({ 'if-none-match': random.pick(tags) }),
    () => ({ accept: random.pick(accepts) }),
    () => ({ accept: 'application/xml' }),
    () => ({ upgrade: random.pick(['websocket', 'WebSocket, h2c', 'h2c']), connection: 'upgrade' }),
    () => ({
      authorization: random.pick(['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer x', `Bearer ${'x'.repeat(9_000)}`]),
    }),
    () => ({ cookie: random.pick(['', '=', 'a=b; c', 'x'.repeat(5_000)]) }),
    () => ({ expect: random.pick(['100-continue', '200-ok', '']) }),
    () => ({ range: 'bytes=0-5' }),
    () => ({ 'x-http-method-override': 'DELETE', 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'evil.example' }),
    () => ({ 'x-long': 'x'.repeat(random.pick([8_000, 17_000])) }),
    () => Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`x-${at}`, 'y'])),
    () => ({ host: random.pick(['', 'evil.example', 'a b', '[::1', 'x'.repeat(1_000)]) }),
    () => ({ origin: 'null', 'sec-fetch-site': 'cross-site' }),
    () => ({
      'pergola-request-id': anyText(random, 20).replaceAll(/[^\u0020-\u007e]/g, '?'),
      'pergola-caller': 'admin',
    }),
  ])()
}

function method(world: World): Shot {
  const { random } = world
  const model = random.pick(world.models)
  const object = known(world, model)
  const name = object?.name ?? 'nobody'
  const at = random.pick([
    model.path,
    `${model.path}/${name}`,
    `${model.path}/${name}/status`,
    `${model.path}/${name}/other`,
  ])
  const places = [at, at, at, '/apis', '/openapi/v3', '/openapi', '/livez', '/readyz?verbose', '/', '/api', '/apis/x/y']
  const verb = random.pick([
    'OPTIONS',
    'TRACE',
    'PROPFIND',
    'QUERY',
    'PURGE',
    'SEARCH',
    'LINK',
    'POST',
    'PUT',
    'PATCH',
    'GET',
    'HEAD',
  ])
  const isSafe = ['OPTIONS', 'TRACE', 'GET', 'HEAD'].includes(verb)
  const line = isSafe ? { method: verb, path: random.pick(places), headers: {} } : write(verb, random.pick(places), {})
  return {
    kind: 'hostile',
    what: `method ${verb}`,
    expected: 'any',
    line: random.chance(0.2) ? { ...line, anonymous: true } : line,
  }
}
