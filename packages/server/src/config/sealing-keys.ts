import { createHmac } from 'node:crypto'
import { ConfigError } from './config-error.ts'
import { readValue, type ValueReading, type ValueSource } from './value-source.ts'

/** A key that seals secrets. */
export interface SealingKey {
  /** Stored with everything that is sealed with the key; reveals nothing of it. */
  readonly id: string
  readonly bytes: Buffer
}

const keyBytes = 32

/** Throws `ConfigError` with all errors, one line each. */
export function sealingKeysOf(
  { keys }: { readonly keys: readonly ValueSource[] },
  reading: ValueReading,
): readonly SealingKey[] {
  const faults: string[] = []
  const read = keys.flatMap((source, at) => {
    try {
      return [sealingKey(readValue(source, reading))]
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      faults.push(`secrets.keys.${at} (${'file' in source ? source.file : source.env}): ${error.message}`)
      return []
    }
  })
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return read
}

/** From its text, 32 bytes in base64. */
export function sealingKey(text: string): SealingKey {
  const trimmed = text.trim()
  const bytes = Buffer.from(trimmed, 'base64')
  // Node.js skips invalid base64 characters, so check that nothing of the key was lost.
  const isWhole = bytes.toString('base64url') === trimmed.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  if (bytes.length !== keyBytes || !isWhole) {
    throw new ConfigError(
      `must be ${keyBytes} random bytes in base64, as "openssl rand -base64 ${keyBytes}" prints them`,
    )
  }
  const id = createHmac('sha256', bytes).update('pergola: the name of this key').digest('hex').slice(0, 8)
  return { id, bytes }
}
