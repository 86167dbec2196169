import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { digestOf } from './secret.ts'

const codeBytes = 16
const validMs = 10 * 60_000

/** A code that signs one user in, once. Only the memory of this process has it, so a restart ends it. */
export interface SignInCode {
  /** The user whom it signs in. */
  readonly user: string
  /** Makes a new code in place of the one before. */
  readonly make: () => string
  /** Whether this is the code, and still valid; the code is used up then. */
  readonly take: (code: string) => boolean
}

export interface SignInCodeParts {
  readonly user: string
  readonly clock: Clock
  /** Called when a code is tried after the last one was used or has expired. */
  readonly onSpent: () => void
}

export function createSignInCode({ user, clock, onSpent }: SignInCodeParts): SignInCode {
  let valid: { readonly digest: Buffer; readonly until: number } | undefined
  return {
    user,
    make: () => {
      const code = randomBytes(codeBytes).toString('hex')
      valid = { digest: Buffer.from(digestOf(code)), until: clock.now() + validMs }
      return code
    },
    take: (code) => {
      if (!valid || valid.until <= clock.now()) {
        valid = undefined
        onSpent()
        return false
      }
      const isRight = timingSafeEqual(valid.digest, Buffer.from(digestOf(code)))
      if (isRight) valid = undefined
      return isRight
    },
  }
}
