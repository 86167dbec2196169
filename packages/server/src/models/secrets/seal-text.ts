import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { SealingKey } from '../../config/sealing-keys.ts'

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const form = /^pergola-sealed:1:([0-9a-f]{8}):([\w-]+)$/

/** Encrypts a text for one place. The place is authenticated but not stored, so the text cannot be opened elsewhere. */
export function sealText(text: string, { key, place }: { readonly key: SealingKey; readonly place: string }): string {
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, key.bytes, nonce, { authTagLength: tagBytes })
  sealing.setAAD(Buffer.from(place))
  const sealed = Buffer.concat([nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()])
  return `pergola-sealed:1:${key.id}:${sealed.toString('base64url')}`
}

/** The id of the key that sealed a text; undefined for text that is not sealed. */
export function keyIdOf(sealed: string): string | undefined {
  return form.exec(sealed)?.[1]
}

/** Throws when the text was sealed with another key or for another place, or was modified. */
export function openText(sealed: string, { key, place }: { readonly key: SealingKey; readonly place: string }): string {
  const bytes = Buffer.from(form.exec(sealed)?.[2] ?? '', 'base64url')
  const opening = createDecipheriv(cipher, key.bytes, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
  opening.setAAD(Buffer.from(place))
  opening.setAuthTag(bytes.subarray(bytes.length - tagBytes))
  const body = bytes.subarray(nonceBytes, bytes.length - tagBytes)
  return Buffer.concat([opening.update(body), opening.final()]).toString('utf8')
}
