import type { ConformanceFault } from '../planted-fault.ts'

/** Promises of C5: errors. */
export const errorFaults: readonly ConformanceFault[] = [
  {
    promise: 'C5-1',
    what: 'a problem is plain JSON',
    file: 'packages/server/src/base/problem-answer.ts',
    find: "contentType: 'application/problem+json'",
    replace: "contentType: 'application/json'",
  },
  {
    promise: 'C5-4',
    what: "the header with the request's id is forgotten",
    file: 'packages/server/src/http/listener.ts',
    find: "const fields: OutgoingHttpHeaders = { 'pergola-request-id': id, ",
    replace: 'const fields: OutgoingHttpHeaders = { ',
  },
  {
    promise: 'C5-5',
    what: 'pointers are escaped in the wrong order',
    file: 'packages/server/src/base/field-error.ts',
    find: "key.replaceAll('~', '~0').replaceAll('/', '~1')",
    replace: "key.replaceAll('/', '~1').replaceAll('~', '~0')",
  },
  {
    promise: 'C5-6',
    what: 'the figures of a bound are left out',
    file: 'packages/server/src/validation/metadata.ts',
    find: '      params: { limit },\n',
    replace: '',
  },
  {
    promise: 'C5-7',
    what: 'only invalid objects have errors',
    file: 'packages/api/src/problem.ts',
    find: 'if (errors) return { errors }',
    replace: "if (errors && reason === 'Invalid') return { errors }",
  },
  {
    promise: 'C1-24',
    what: 'TypeMismatch has another status',
    file: 'packages/api/src/problem.ts',
    find: 'TypeMismatch: { status: 400,',
    replace: 'TypeMismatch: { status: 422,',
  },
  {
    promise: 'S2.3-6',
    what: 'a conflict does not tell the stored version',
    file: 'packages/server/src/models/write-errors.ts',
    find: '`${what} is at version ${stored.version}${carries}`',
    replace: '`${what} is at another version${carries}`',
  },
  {
    promise: 'C5-21',
    what: 'a body of exactly 1 MiB is too large',
    file: 'packages/server/src/http/read-body.ts',
    find: 'if (announced > limit)',
    replace: 'if (announced >= limit)',
  },
  {
    promise: 'C5-25',
    what: 'a failure tells its message',
    file: 'packages/server/src/base/problem-answer.ts',
    find: "new ApiError('Internal', 'the server failed; its log has the details under this request id', { cause: error })",
    replace: "new ApiError('Internal', `the server failed: ${String(error)}`, { cause: error })",
  },
  {
    promise: 'S7-1',
    what: 'errors of constraints come before those of types',
    file: 'packages/server/src/validation/schema-validator.ts',
    find: 'return [...structural, ...constraints].slice(0, maxFaults)',
    replace: 'return [...constraints, ...structural].slice(0, maxFaults)',
  },
  {
    promise: 'C5-28',
    what: 'only the first fault is told',
    file: 'packages/server/src/validation/compile-schema.ts',
    find: "{ allErrors: thoroughness === 'every fault' }",
    replace: '{ allErrors: false }',
  },
  {
    promise: 'C5-29',
    what: 'a denied caller without credentials gets 403',
    file: 'packages/server/src/pipeline.ts',
    find: "    if (caller.kind === 'anonymous') throw unauthenticated(`${decision.reason()}; sign in with a bearer token`)\n",
    replace: '',
  },
]
