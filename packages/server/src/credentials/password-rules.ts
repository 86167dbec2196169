import { commonPasswords } from './common-passwords.ts'

/** Shorter passwords can be guessed; longer ones only waste CPU. */
export const passwordLengths = { least: 8, most: 1_024 }

/** Why the password is refused for this user; undefined when it is acceptable. Refuses what a guesser tries first. */
export function passwordFault(password: string, username: string): string | undefined {
  const { least, most } = passwordLengths
  const { length } = Array.from(password)
  if (length < least || length > most) return `must have ${least} to ${most} characters`
  const small = password.toLowerCase()
  if (small === username.toLowerCase()) return 'must not be the name of the user'
  if (new Set(small).size === 1) return 'must not be one character repeated'
  if (commonPasswords.has(small)) return 'is one of the 10,000 commonest passwords; choose another one'
  return undefined
}
