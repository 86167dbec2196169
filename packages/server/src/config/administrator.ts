import { ConfigError } from './config-error.ts'
import type { Config } from './config.ts'
import { readSecretFile } from './value-source.ts'

/** The super administrator to create when there is none. */
export interface Administrator {
  readonly username: string
  readonly password: string
}

const minLength = 8

/** As configured, with the password from a file: other processes can read variables. */
export function administratorOf(
  { username, passwordFile }: Config['admin'],
  readFile: (name: string) => string,
): Administrator | undefined {
  if (username === undefined && passwordFile === undefined) return undefined
  if (username === undefined || passwordFile === undefined) {
    throw new ConfigError('admin.username and admin.passwordFile go together; set both or neither')
  }
  const password = readSecretFile('admin.passwordFile', passwordFile, readFile)
  if (password.length < minLength) {
    throw new ConfigError(
      `admin.passwordFile: the password in ${passwordFile} has ${password.length} characters; at least ${minLength} are needed`,
    )
  }
  return { username, password }
}
