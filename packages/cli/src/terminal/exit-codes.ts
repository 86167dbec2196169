/** Exit codes. Help and the reference show this table. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usedWrongly: 2,
  unreachable: 3,
  notSignedIn: 4,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.done, 'success; for `can-i`, yes'],
  [exitCodes.failed, 'refused or failed, wholly or in part; for `can-i`, no'],
  [exitCodes.usedWrongly, 'usage error: an unknown option, argument or name'],
  [exitCodes.unreachable, 'the server cannot be reached'],
  [exitCodes.notSignedIn, 'not signed in, or the session has ended'],
  [exitCodes.interrupted, 'interrupted by Ctrl-C'],
]
