import { readFileSync } from 'node:fs'
import { Option, type Command } from 'commander'
import { askHidden } from './ask-hidden.ts'
import { usedWrongly } from './command-fault.ts'

export interface PasswordOptions {
  readonly passwordFile?: string
  readonly generate?: true
}

export interface NewPassword {
  readonly password: string
  /** The password was generated and must be shown once. */
  readonly made: boolean
}

export function addPasswordOptions(command: Command): Command {
  return command
    .addOption(new Option('--password-file <file>', 'read the password from a file').conflicts('generate'))
    .option('--generate', 'generate a password and print it once')
}

/** Reads a password from a file, generates one, or asks at the terminal, where an empty answer generates one. */
export async function newPassword(user: string, { passwordFile, generate }: PasswordOptions): Promise<NewPassword> {
  if (passwordFile !== undefined) {
    return { password: readFileSync(passwordFile, 'utf8').replace(/\r?\n$/, ''), made: false }
  }
  if (!generate && !process.stdin.isTTY) {
    throw usedWrongly('cannot prompt without a terminal; use --password-file <file> or --generate')
  }
  const asked = generate ? '' : await askHidden(`  new password of ${user} (empty: generate one)  `)
  if (asked === '') return { password: await generatedPassword(), made: true }
  if ((await askHidden('  the same again  ')) !== asked) throw usedWrongly('the two passwords differ; type both again')
  return { password: asked, made: false }
}

async function generatedPassword(): Promise<string> {
  // Loading it takes 7 ms, and every command loads this file.
  const { randomBytes } = await import('node:crypto')
  return randomBytes(18).toString('base64url')
}

export interface KeepTokensOption {
  readonly keepTokens?: true
}

/** For commands that replace a password. */
export function addKeepTokens(command: Command): Command {
  return command.option('--keep-tokens', 'leave the personal access tokens of the user valid')
}

/** Sessions and tokens that a new password has ended. */
export function tokenWords(tokens: number): readonly string[] {
  if (tokens === 0) return []
  return [`  ${tokens} personal access ${tokens === 1 ? 'token was' : 'tokens were'} deleted; programs need new ones.`]
}
