import { maxGroupLength } from '../../packages/api/src/definition-names.ts'
import * as displays from '../../packages/api/src/display.ts'
import * as names from '../../packages/api/src/names.ts'
import { maxPathSegments } from '../../packages/api/src/request-info.ts'
import { mostNames as mostResponseHeaders } from '../../packages/api/src/response-headers.ts'
import {
  maxAlternatives,
  maxAlternativeTerms,
  maxSelectorLength,
  maxSelectorSetValues,
  maxSelectorTerms,
} from '../../packages/api/src/selector.ts'
import { usualMessage } from '../../packages/plugin-sdk/src/run/accept-socket.ts'
import { listLimits } from '../../packages/server/src/assembly/assemble.ts'
import { maxLineBytes } from '../../packages/server/src/audit/audit-entry.ts'
import { usualLimits as auditQueue } from '../../packages/server/src/audit/audit-log.ts'
import { configSchema } from '../../packages/server/src/config/config-schema.ts'
import * as hashing from '../../packages/server/src/credentials/passwords.ts'
import * as logins from '../../packages/server/src/credentials/login-limits.ts'
import { loginMs } from '../../packages/server/src/credentials/oidc-logins.ts'
import { passwordLengths } from '../../packages/server/src/credentials/password-rules.ts'
import * as sessions from '../../packages/server/src/credentials/sessions.ts'
import { setupSecretMs } from '../../packages/server/src/credentials/setup-secrets.ts'
import { mostTokens } from '../../packages/server/src/host-api/personal-access-tokens.ts'
import { reviewedRequests } from '../../packages/server/src/host-api/reviewed-request.ts'
import { maxBatchBytes, mostOperations } from '../../packages/server/src/host-api/sent-batch.ts'
import { idleMs as socketIdleMs } from '../../packages/server/src/http/join-connections.ts'
import { requestMs, stalledMs } from '../../packages/server/src/http/listener.ts'
import { maxMessageBytes } from '../../packages/server/src/http/upgrades.ts'
import { maxReferences } from '../../packages/api/src/references.ts'
import { maxIndexes, maxMultiIndexes } from '../../packages/server/src/models/definition/definition-errors.ts'
import { maxJsonDepth as modelJsonDepth } from '../../packages/server/src/models/definition/definition-model.ts'
import { usualDeadlineMs } from '../../packages/server/src/models/verbs/delete-collection.ts'
import { maxCountedSize, maxReferrers } from '../../packages/server/src/models/query/count-referrers.ts'
import { maxExpandedBytes, maxExpandedSize, maxTargets } from '../../packages/server/src/models/query/expand.ts'
import { mostPaths } from '../../packages/server/src/models/query/fields.ts'
import { maxRelated } from '../../packages/server/src/models/query/related.ts'
import { maxAdded } from '../../packages/server/src/models/references.ts'
import { maxIndexValues } from '../../packages/server/src/models/indexed-object.ts'
import { pageLimit, snapshotBytes, snapshotLimit } from '../../packages/server/src/models/verbs/list.ts'
import { maxObjectBytes } from '../../packages/server/src/models/object-bytes.ts'
import { maxPutLength } from '../../packages/server/src/models/verbs/patch/json-patch.ts'
import { maxPatchOperations } from '../../packages/server/src/models/verbs/patch/patch-operation.ts'
import { lastsMs, sharedMs } from '../../packages/server/src/plugins/custom-api/caller-tokens.ts'
import { usualBody } from '../../packages/server/src/plugins/custom-api/custom-api.ts'
import { answerMs, stalledMs as answerStalledMs } from '../../packages/server/src/plugins/custom-api/proxy-to-plugin.ts'
import { longestSeconds, mostLeases } from '../../packages/server/src/plugins/run/lease-api.ts'
import { mostPages } from '../../packages/server/src/plugins/package/manifest.ts'
import { mostPackageBytes } from '../../packages/server/src/plugins/install/plugin-api.ts'
import { firstWaitMs, longestWaitMs } from '../../packages/server/src/plugins/run/plugin-runner.ts'
import { mostCharacters } from '../../packages/server/src/plugins/process/line-log.ts'
import { bytesPerSecond, linesPerSecond } from '../../packages/server/src/plugins/process/output.ts'
import * as link from '../../packages/server/src/plugins/process/plugin-link.ts'
import { mostMissed, pulseMs } from '../../packages/server/src/plugins/process/plugin-process.ts'
import { mostDefinitionBytes, readMs } from '../../packages/server/src/plugins/package/read-package.ts'
import { maxLines } from '../../packages/server/src/store/records/plugin-lines.ts'
import { mostSchedules } from '../../packages/server/src/plugins/run/schedule-api.ts'
import * as archive from '../../packages/server/src/plugins/package/unpack-archive.ts'
import { maxKeyBytes } from '../../packages/server/src/store/index-key.ts'
import { boundedTotal } from '../../packages/server/src/store/store.ts'
import { maxJsonDepth } from '../../packages/server/src/validation/json-scanner.ts'
import * as metadata from '../../packages/server/src/validation/metadata.ts'
import { maxBytes as jsonBytes } from '../../packages/server/src/validation/read-json.ts'
import { maxBytes as formBytes } from '../../packages/server/src/validation/read-form.ts'
import { compileMs } from '../../packages/server/src/validation/schema-compiler.ts'
import * as schemas from '../../packages/server/src/validation/schema-errors.ts'
import { maxFaults } from '../../packages/server/src/validation/schema-validator.ts'
import { mostWaiting } from '../../packages/server/src/watch/deliver.ts'
import { bookmarkMs } from '../../packages/server/src/watch/watch-hub.ts'
import { ageMs } from '../../packages/server/src/watch/watcher.ts'
import { table } from './markdown.ts'

/** Each limit, its value, and what happens beyond it. */
type Limit = readonly [what: string, value: string, beyond: string]

const invalid = '422 `Invalid`'
const badRequest = '400 `BadRequest`'
const tooLarge = '413 `PayloadTooLarge`'
const tooMany = '429 `TooManyRequests`'
const badSelector = '400 `InvalidSelector`'
const isShortened = 'what is beyond is left out'

const fixed: Readonly<Record<string, readonly Limit[]>> = {
  Objects: [
    ['`metadata.name`', characters(names.maxObjectNameLength), invalid],
    ['Prefix of a label or annotation key', characters(names.maxKeyPrefixLength), invalid],
    ['Name of a label or annotation key', characters(names.maxKeyNameLength), invalid],
    ['Labels of an object', count(metadata.maxLabels), invalid],
    ['Value of a label', `${characters(names.maxLabelValueLength)}, ${bytes(names.maxLabelValueBytes)}`, invalid],
    ['Annotations of an object, together', bytes(metadata.maxAnnotationBytes), invalid],
    ['Finalizers of an object', count(metadata.maxFinalizers), invalid],
    ['A finalizer', characters(names.maxFinalizerLength), invalid],
    ['An object as it is stored', bytes(maxObjectBytes), tooLarge],
    ['A number', `±${Number.MAX_SAFE_INTEGER}`, invalid],
    ['Errors in one answer', count(maxFaults), isShortened],
  ],
  'Models and indexes': [
    ['Group', characters(maxGroupLength), invalid],
    ['Kind, singular, plural', characters(63), invalid],
    ['Versions of a model', '1', invalid],
    ['Schema', bytes(schemas.maxSchemaBytes), invalid],
    ['Levels of a schema', count(schemas.maxSchemaDepth), invalid],
    ['Schemas in a schema', count(schemas.maxSubSchemas), invalid],
    ['Time to compile a schema', duration(compileMs), invalid],
    ['Indexes of a model', `${maxIndexes}, of them ${maxMultiIndexes} with several values`, invalid],
    ['References of a model', count(maxReferences), invalid],
    ['Values added to references by one write', count(maxAdded), invalid],
    ['Composites of a model', '8 of 2 to 4 indexes', invalid],
    ['Columns of a display', count(displays.maxDisplayColumns), invalid],
    ['Section, label or placeholder of a display', characters(displays.maxDisplayText), invalid],
    ['Unit of a display', characters(displays.maxUnitLength), invalid],
    ['Languages of a label', count(displays.maxLabels), invalid],
    ['Values of an object in one index', count(maxIndexValues), invalid],
    ['An indexed value', bytes(maxKeyBytes), invalid],
  ],
  Requests: [
    ['Request line and headers', '16 KiB', badRequest],
    ['Segments of a path', count(maxPathSegments), '404 `NotFound`'],
    ['Body: object or patch', bytes(maxObjectBytes), tooLarge],
    ["Body: the host's own endpoints", bytes(jsonBytes), tooLarge],
    ['Body: a form of the login pages', bytes(formBytes), tooLarge],
    ['Body: a batch', bytes(maxBatchBytes), tooLarge],
    ['Levels of JSON in a body', `${maxJsonDepth}; ${modelJsonDepth} for models`, badRequest],
    ['Operations of a batch', count(mostOperations), invalid],
    ['Operations of a JSON Patch', count(maxPatchOperations), badRequest],
    ['Characters that a JSON Patch puts into an object', count(maxPutLength), invalid],
    ['Questions of an access review or `whocan`', count(reviewedRequests.maxItems), invalid],
    ['Paths in `fields`', count(mostPaths), badRequest],
    ['Time to send a request, with its body', duration(requestMs), `${badRequest}, or the connection is closed`],
    ['A connection without progress', duration(stalledMs), 'the connection is closed'],
    ['Time of one `deletecollection`', duration(usualDeadlineMs), '200 with `remaining: true`; ask again'],
  ],
  Lists: [
    ['A selector', characters(maxSelectorLength), badSelector],
    ['Terms of all selectors of a request', count(maxSelectorTerms), badSelector],
    ['`anyOf` of a request', `${maxAlternatives} of ${maxAlternativeTerms} terms`, badSelector],
    ['Values in a set `(a,b)`', count(maxSelectorSetValues), badSelector],
    ['Paths in `expand`, models in `referrers`', count(maxRelated), badRequest],
    ['Objects in a page with `expand`', count(maxExpandedSize), badRequest],
    [
      'Objects in `expanded`',
      `${count(maxTargets)} or ${bytes(maxExpandedBytes)}`,
      'the rest is left out: `expandedIsPartial`',
    ],
    ['Objects in a page with `referrers`', count(maxCountedSize), badRequest],
    ['Referrers of an object, counted', count(maxReferrers), 'the count is this number'],
    ['Objects in a page that is answered at once', count(pageLimit), 'the answer is streamed'],
    [
      'Objects of a streamed list in one snapshot',
      `${count(snapshotLimit)} or ${bytes(snapshotBytes)}`,
      `the rest is read later, in parts of ${pageLimit}`,
    ],
    [
      'Streamed lists at a time',
      `${listLimits.inAll} in a process, ${listLimits.perCaller} of a caller`,
      `${tooMany}; ask for pages`,
    ],
    [
      '`total` of a list on PostgreSQL, counted',
      count(boundedTotal),
      'an estimate: `totalIsEstimate`; or `exactTotal=true`',
    ],
  ],
  Watches: [
    ['Bytes that wait for a slow reader', bytes(mostWaiting), 'close code `4429`'],
    ['Time that a watch lasts', `${duration(ageMs.least)} to ${duration(ageMs.most)}`, 'close code `1000`'],
    ['Time without a frame', duration(bookmarkMs), 'a `BOOKMARK`'],
    ['A message from the client', `none; ${bytes(maxMessageBytes)}`, 'close code `1008`; `1009` above the size'],
  ],
  'Signing in': [
    ['Password', `${passwordLengths.least} to ${count(passwordLengths.most)} characters`, invalid],
    ['Sessions of a user', count(sessions.mostOfUser), 'the oldest ends'],
    ['Personal access tokens of a user', count(mostTokens), tooMany],
    ['Setup secret', duration(setupSecretMs), '`pergola setup-link` makes another one'],
    ['Login at an OpenID Connect provider', duration(loginMs), 'start again'],
    [
      'Failed logins of an account from an address',
      `${logins.mostOfPair} in ${duration(logins.windowMs)}`,
      `${tooMany} with \`Retry-After\``,
    ],
    [
      'Failed logins from an address',
      `${logins.mostOfAddress} in ${duration(logins.windowMs)}`,
      `${tooMany} with \`Retry-After\``,
    ],
    [
      'Failed logins of an account from anywhere',
      `${logins.slowFrom} in ${duration(logins.windowMs)}`,
      `${tooMany}; waits of up to ${duration(logins.slowestMs)}`,
    ],
    ['Passwords checked at a time', `${hashing.atATime}; ${hashing.mostWaiting} wait`, tooMany],
    ['A token by which a plugin acts for its caller', duration(lastsMs + sharedMs), '401 `Unauthenticated`'],
  ],
  'Custom APIs of plugins': [
    ['Body, unless the route has `maxBody`', bytes(usualBody), tooLarge],
    ['Time to the first byte of the answer', duration(answerMs), '504 `PluginTimeout`'],
    ['An answer without progress', duration(answerStalledMs), 'the connection is closed'],
    [
      'Requests to a plugin at a time',
      `${link.mostProxied}, of a caller ${link.mostProxied / 4}`,
      '503 `Unavailable`; 429 `TooManyRequests` for the caller',
    ],
    ['A message on a WebSocket, unless `maxMessage` says otherwise', bytes(usualMessage), 'close code `1009`'],
    ['A WebSocket on which nothing is sent', duration(socketIdleMs), 'close code `1001`'],
    ['Response headers that a route names', count(mostResponseHeaders), 'the package is refused'],
  ],
  'Processes of plugins': [
    ['Time for index functions and `check`', duration(link.evaluateMs), '504 `PluginTimeout`'],
    ['Answer of index functions and `check`', bytes(link.mostEvaluationBytes), '502 `PluginFailed`'],
    [
      'Health checks without an answer',
      `${mostMissed}, one every ${duration(pulseMs)}, ${duration(link.healthMs)} each`,
      'the plugin is killed and restarted',
    ],
    [
      'Wait before a restart',
      `${duration(firstWaitMs)} to ${duration(longestWaitMs)}`,
      'custom APIs answer 503 `PluginNotStarted` meanwhile',
    ],
    ['Output in a second', `${linesPerSecond} lines, ${bytes(bytesPerSecond)}`, 'dropped and counted'],
    ['A line of output', characters(mostCharacters), 'cut'],
    ['Lines kept for `pergola plugin logs` per replica', count(maxLines), 'the oldest are dropped'],
    ['Leases of a plugin', `${mostLeases}, of ${longestSeconds} s`, `${badRequest}; 422 for the time`],
    ['Schedules of a plugin', count(mostSchedules), badRequest],
  ],
  Packages: [
    ['Package', bytes(mostPackageBytes), tooLarge],
    ['Unpacked', bytes(archive.mostBytes), invalid],
    ['Files', count(archive.mostFiles), invalid],
    ['Declared objects (`extensions/`), together', bytes(archive.mostDeclaringBytes), invalid],
    ['`plugin.json`', bytes(mostDefinitionBytes), invalid],
    ['CPU time to read it', duration(readMs), invalid],
    ['Pages in the console', count(mostPages), invalid],
  ],
  'Audit log': [
    ['A line', bytes(maxLineBytes), 'long values are cut'],
    ['Lines that wait for the disk', `${count(auditQueue.lines)}, ${bytes(auditQueue.bytes)}`, 'dropped and counted'],
  ],
}

/** For each numeric setting, what happens beyond its value. */
const bySetting: Readonly<Record<string, string>> = {
  'server.stopDelay': 'the server closes its port',
  'server.drainTimeout': 'what is left is cut',
  'http.maxInFlight': `${tooMany}; a caller may have a quarter`,
  'database.timeout': '503 `Unavailable`',
  'changelog.retention': '410 `RevisionExpired`, close code `4410`',
  'changelog.maxBytes': '410 `RevisionExpired`, close code `4410`',
  'feed.natsMaxAge': 'replicas read the log in the database',
  'feed.natsMaxSize': 'replicas read the log in the database',
  'watch.max': tooMany,
  'watch.maxPerUser': tooMany,
  'plugins.memoryLimit': 'the plugin is killed and restarted',
  'plugins.processLimit': 'the plugin is killed and restarted',
  'plugins.scratchLimit': 'the plugin is killed and restarted',
  'plugins.startTimeout': 'the plugin is killed and started again',
  'plugins.startGrace': 'the replica becomes ready without the plugin',
  'sessions.idleTimeout': '401 `Unauthenticated`; sign in again',
  'sessions.maxAge': '401 `Unauthenticated`; sign in again',
  'oidc.maxAge': 'the roles are taken away; sign in again',
}

interface Setting {
  readonly type?: string
  readonly default?: number
  readonly description: string
}

export function limitTables(): string {
  const sections = Object.entries(fixed).map(([title, limits]) =>
    [`## ${title}`, '', table(['Limit', 'Value', 'Beyond it'], limits)].join('\n'),
  )
  return sections.join('\n\n')
}

/** Numeric settings that are no limits. */
const otherNumbers = new Set(['server.port', 'metrics.port', 'feed.natsReplicas'])

/** All settings that are limits. */
export function settableLimits(): string {
  const settings = Object.entries(configSchema.properties).flatMap(([section, { properties }]) =>
    Object.entries(properties as Readonly<Record<string, Setting>>)
      .map(([key, setting]) => ({ path: `${section}.${key}`, ...setting }))
      .filter(({ path, type }) => type === 'integer' && !otherNumbers.has(path)),
  )
  const rows = settings.map(({ path, default: value, description }) => {
    const beyond = bySetting[path]
    if (beyond === undefined) throw new Error(`tools/docs/limits.ts does not say what happens beyond ${path}`)
    const [meaning = ''] = description.split(/(?<=[.;])\s/)
    return [`\`${path}\``, count(value ?? 0), meaning.replace(/;$/, '.'), beyond]
  })
  return table(['Setting', 'Default', 'Meaning', 'Beyond it'], rows)
}

function count(value: number): string {
  return value.toLocaleString('en')
}

function characters(value: number): string {
  return `${count(value)} characters`
}

function bytes(value: number): string {
  if (value >= 1024 ** 2) return `${count(value / 1024 ** 2)} MiB`
  return value >= 1024 ? `${count(value / 1024)} KiB` : `${value} bytes`
}

function duration(ms: number): string {
  const units = [
    ['days', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ] as const
  const [unit, size] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ['s', 1_000]
  return `${count(ms / size)} ${unit}`
}
