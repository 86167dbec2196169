import type { ConformanceFault } from '../planted-fault.ts'

const server = 'packages/server/src'
const api = `${server}/plugins/custom-api/custom-api.ts`
const headers = `${server}/plugins/custom-api/forwarded-headers.ts`
const faults = `${server}/plugins/route-faults.ts`
const passOn = `${server}/plugins/custom-api/pass-on.ts`
const lasting = `${server}/watch/lasting-streams.ts`
const routes = 'packages/api/src/route-table.ts'
const decorated = 'packages/plugin-sdk/src/decorators'

type Row = readonly [promise: string, what: string, file: string, find: string, replace: string]

const rows: readonly Row[] = [
  ['C8-320', 'what a client calls its own comes through', headers, ' && !ofHop.includes(name)', ''],
  ['C8-321', 'whoever says so is somebody', headers, 'expect|proxy-.*|pergola-.*)$/', 'expect|proxy-.*)$/'],
  [
    'C8-322',
    'a caller is given what the plugin may',
    `${server}/access/access-source.ts`,
    'if (caller.through === undefined) return own',
    "if (caller.through !== '') return own",
  ],
  [
    'C8-323',
    "a token is any plugin's",
    `${server}/plugins/custom-api/caller-tokens.ts`,
    ' || made.plugin !== plugin',
    '',
  ],
  ['C8-324', 'a plugin sends other sites word', headers, '/^(content-(', '/^(access-control-.*|content-('],
  [
    'C8-325',
    'a plugin says what a page may',
    headers,
    'Object.assign(passed(headers, passes), added,',
    "Object.assign({ ...added, ...passed(headers, (name) => !name.startsWith('set-cookie')) },",
  ],
  [
    'C8-392',
    'a route names any header',
    `${server}/plugins/route-faults.ts`,
    'responseHeaders === undefined ? undefined :',
    'responseHeaders !== undefined ? undefined :',
  ],
  [
    'C8-326',
    'a route may take what it likes',
    api,
    '{ caller: handedOn, maxBody, responseHeaders }',
    '{ caller: handedOn, maxBody: maxBody * 2, responseHeaders }',
  ],
  [
    'S4.2-2',
    'any type is taken',
    'packages/plugin-sdk/src/run/serve-route.ts',
    'if (isSent && !accepts.some(',
    'if (!isSent && !accepts.some(',
  ],
  ['C8-328', 'a body is gathered first', `${server}/http/begin-relay.ts`, 'else done(null, chunk)', 'else done(null)'],
  ['C8-330', 'a wildcard is a word', faults, "segment.includes('*')", "segment === '**'"],
  ['C8-331', 'a route is where it likes', faults, "root !== 'apis' || !derived.includes(group)", "root === ''"],
  [
    'C8-332',
    'the first of two is meant',
    faults,
    'before.find((one) => routesClash(one, route))',
    'before.find((one) => one.path === route.path)',
  ],
  [
    'C8-333',
    'a name in a route is any name',
    'packages/plugin-sdk/src/inspect/rules.ts',
    "name && 'literal' in name",
    "name && 'parameter' in name",
  ],
  [
    'C8-329',
    'a plugin goes on answering nobody',
    'packages/plugin-sdk/src/run/custom-apis.ts',
    'if (!isAnswered) gone.abort(',
    'if (isAnswered) gone.abort(',
  ],
  ['C8-334', 'a stream is any other route', routes, '(route.stream ?? false) === isWatch', 'isWatch === isWatch'],
  [
    'C8-335',
    'who asks for a WebSocket only reads',
    'packages/api/src/request-info.ts',
    "=== 'websocket')) return true",
    "=== 'websocket')) return false",
  ],
  [
    'C8-336',
    'the sub-protocol is kept from the plugin',
    passOn,
    "upgrade: 'websocket' },",
    "upgrade: 'websocket', 'sec-websocket-protocol': 'echo.v1' },",
  ],
  [
    'C8-337',
    'a plugin sees cookies',
    `${server}/plugins/custom-api/forwarded-headers.ts`,
    '/^(cookie|authorization',
    '/^(authorization',
  ],
  [
    'C8-338',
    'what is no 101 is a failure',
    passOn,
    "asked.once('response', (body: IncomingMessage) => {",
    "asked.once('response', (body: IncomingMessage) => {\n        return reject(pluginFailed(name))",
  ],
  [
    'C8-339',
    'rights are looked at once',
    lasting,
    'await checkStanding(concernedBy(all, concerned(changes)), end)',
    '',
  ],
  ['C8-340', 'what was taken back counts on', lasting, 'else if (now >= stream.expiresAt)', 'else if (now < 0)'],
  [
    'C8-341',
    'nobody counts',
    lasting,
    'const release = limits.take(call.caller, call.request.address)',
    'const release = () => void limits',
  ],
  [
    'C8-342',
    'a plugin that is gone has closed as it should',
    passOn,
    'return { code: closeCodes.failed, reason:',
    'return { code: closeCodes.goingAway, reason:',
  ],
  [
    'C8-343',
    'sockets outlive their plugin',
    'packages/plugin-sdk/src/run/accept-socket.ts',
    "stopping.addEventListener('abort', stop, { once: true })",
    '',
  ],
  ['C8-344', 'a server that stops says nothing', `${server}/assemble-streaming.ts`, '      streams.drain()\n', ''],
  [
    'C8-345',
    'a program has GET alone',
    api,
    'if (hasApp) return {}',
    "if (hasApp && request.method === 'GET') return {}",
  ],
  [
    'C8-346',
    'a backslash is a letter',
    'packages/api/src/request-info.ts',
    '/[#\\\\]/.test(path)',
    "path.includes('#')",
  ],
  [
    'C8-347',
    'a rule reaches a word further up',
    `${server}/access/decisions/path-table.ts`,
    'const prefix = url.slice(0, -1)',
    "const prefix = url.slice(0, url.lastIndexOf('/', url.length - 3) + 1)",
  ],
  [
    'C8-348',
    'a program is not told of',
    `${server}/plugins/supervisor.ts`,
    'versions.map((version) => ({ plugin',
    'versions.slice(1).map((version) => ({ plugin',
  ],
  [
    'C8-349',
    'streams take the place of others',
    `${server}/plugins/custom-api/forward.ts`,
    'options.isStream ? streams : pool',
    'pool',
  ],
  [
    'S4.2-3',
    'a class is served below another version than its own',
    `${decorated}/routes-of.ts`,
    '/apis/${apiVersion}',
    '/apis/${apiVersion.replace("alpha1", "")}',
  ],
  [
    'S4.2-3',
    'who may call a class may call none of it',
    `${decorated}/routes-of.ts`,
    '{ ...shared, ...endpoint.options }',
    '{ ...endpoint.options }',
  ],
  [
    'S4.2-3',
    'a method is looked for where only standard decorators have it',
    `${decorated}/endpoint.ts`,
    'descriptor?.value ?? first',
    'first',
  ],
  [
    'S4.2-4',
    'a class is served as if it had said where',
    `${decorated}/routes-of.ts`,
    'apiVersions.of(controller)',
    "apiVersions.of(controller) ?? 'console.api.reports.example.com/v1alpha1'",
  ],
  ['S4.2-4', 'a class is left out without a word', `${decorated}/routes-of.ts`, 'console.warn(', 'String('],
]

/** What the host promises of custom APIs. */
export const customApiFaults: readonly ConformanceFault[] = rows.map(([promise, what, file, find, replace]) => ({
  promise,
  what,
  file,
  find,
  replace,
}))
