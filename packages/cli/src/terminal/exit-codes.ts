/** How a command ends, for programs that run it. Help and the reference show this table. */
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
  [exitCodes.done, 'done; of `can-i`, yes'],
  [exitCodes.failed, 'refused or failed, or a part of it; of `can-i`, no'],
  [exitCodes.usedWrongly, 'used wrongly: an option, an argument or a name that is not known'],
  [exitCodes.unreachable, 'the server cannot be reached'],
  [exitCodes.notSignedIn, 'not signed in, or not any more'],
  [exitCodes.interrupted, 'ended by Ctrl-C'],
]
