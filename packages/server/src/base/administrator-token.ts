import { randomBytes } from 'node:crypto'
import { ConfigError, type Config } from './config.ts'

const minLength = 32

export interface AdministratorToken {
  readonly value: string
  readonly madeNow: boolean
  /** How a shell gets at it, for a command that is printed; a given token itself is never shown. */
  readonly inShell: string
}

/** The token that was given, in the configuration or in a file it names; else a new one of 256 random bits. */
export function administratorToken(
  { adminToken, adminTokenFile }: Config['bootstrap'],
  readFile: (name: string) => string,
): AdministratorToken {
  if (adminToken !== undefined && adminTokenFile !== undefined) {
    throw new ConfigError('bootstrap.adminToken and bootstrap.adminTokenFile are both set; keep one of them')
  }
  if (adminTokenFile !== undefined) {
    const value = checked(readFile(adminTokenFile).trim(), `the token in ${adminTokenFile}`)
    return { value, madeNow: false, inShell: `$(cat ${adminTokenFile})` }
  }
  if (adminToken !== undefined) {
    return { value: checked(adminToken, 'bootstrap.adminToken'), madeNow: false, inShell: '<bootstrap.adminToken>' }
  }
  const value = `pgl_${randomBytes(32).toString('base64url')}`
  return { value, madeNow: true, inShell: value }
}

function checked(token: string, where: string): string {
  if (token.length < minLength)
    throw new ConfigError(`${where} has ${token.length} characters; at least ${minLength} are needed`)
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new ConfigError(`${where} may hold only visible ASCII characters and no space`)
  return token
}
