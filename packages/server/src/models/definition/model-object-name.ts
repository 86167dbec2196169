import { createHash } from 'node:crypto'
import type { ModelKey } from '../../store/store.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz234567'
const hashLength = 10

/** The name of the object that defines a model. It is unique for a group and plural, so there can be only one definition. */
export function modelObjectName({ group, plural }: ModelKey): string {
  const bits = [...createHash('sha256').update(`${group}/${plural}`).digest()]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
  const hash = Array.from(
    { length: hashLength },
    (_, at) => letters[Number.parseInt(bits.slice(at * 5, at * 5 + 5), 2)],
  )
  return `${plural}-${hash.join('')}`
}
