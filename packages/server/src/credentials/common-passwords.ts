import { readFileSync } from 'node:fs'

/**
 * Those of the 10,000 most common passwords that have at least 8 characters, in lower case, from the ranking of
 * `@zxcvbn-ts/language-common` 4.1.3 (MIT), which is some 390 KB and would be a dependency for one list.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  readFileSync(new URL('../../data/common-passwords.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n'),
)
