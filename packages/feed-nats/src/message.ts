import type { PackedChange, LogPosition } from '@pergola/server/feed'
import { sealLength, type Seals } from './seals.ts'

/** A message of the stream: consecutive changes, and the log positions before and after them. */
export interface ChangesMessage {
  readonly from: LogPosition
  readonly to: LogPosition
  /** All changes in between; empty when they do not fit into a message and must be read from the log. */
  readonly changes: readonly CarriedChange[]
}

interface CarriedChange {
  readonly about: string
  readonly data: Buffer
}

/** Version of this message format. Messages of another version are ignored, and their changes are read from the log. */
const version = 1
const kinds = { changes: 1, proof: 2 } as const

/*
 * seal | version, kind | from, to: number and tag of each | count | length of about, length of data, about, data | ...
 */
const headerBytes = sealLength + 2 + 4 * 8 + 4
const entryBytes = 8
export const nonceBytes = 16

/** Packs changes into messages of at most `maxBytes`, in order; a change that fits into none gets an empty message. */
export function* packMessages(
  from: LogPosition,
  changes: readonly PackedChange[],
  maxBytes: number,
): Generator<{ readonly bytes: Buffer; readonly to: LogPosition; readonly changes: readonly PackedChange[] }> {
  let before = from
  let begin = 0
  let size = headerBytes
  const cut = (end: number) => {
    const some = changes.slice(begin, end)
    const to = some.at(-1)?.position ?? before
    const packed = { bytes: pack({ from: before, to }, size > maxBytes ? [] : some, size), to, changes: some }
    before = to
    begin = end
    size = headerBytes
    return packed
  }
  for (const [at, { about, data }] of changes.entries()) {
    const added = entryBytes + Buffer.byteLength(about) + data.length
    if (at > begin && size + added > maxBytes) yield cut(at)
    size += added
  }
  if (begin < changes.length) yield cut(changes.length)
}

/** A message that only reports the log's position. */
export function packPosition(position: LogPosition): Buffer {
  return pack({ from: position, to: position }, [], headerBytes)
}

function pack(
  { from, to }: { readonly from: LogPosition; readonly to: LogPosition },
  changes: readonly PackedChange[],
  size: number,
): Buffer {
  const bytes = Buffer.allocUnsafe(changes.length === 0 ? headerBytes : size)
  bytes[sealLength] = version
  bytes[sealLength + 1] = kinds.changes
  let at = writePosition(bytes, to, writePosition(bytes, from, sealLength + 2))
  at = bytes.writeUInt32BE(changes.length, at)
  for (const { about, data } of changes) {
    const aboutLength = bytes.write(about, at + entryBytes, 'utf8')
    bytes.writeUInt32BE(aboutLength, at)
    bytes.writeUInt32BE(data.length, at + 4)
    at += entryBytes + aboutLength
    at += data.copy(bytes, at)
  }
  return bytes
}

/** Undefined if the seal is invalid or the format is unknown. */
export function unpackMessage(seals: Seals, bytes: Buffer): ChangesMessage | undefined {
  if (bytes.length < headerBytes || !seals.isSealed(bytes)) return undefined
  if (bytes[sealLength] !== version || bytes[sealLength + 1] !== kinds.changes) return undefined
  const from = readPosition(bytes, sealLength + 2)
  const to = readPosition(bytes, sealLength + 2 + 16)
  const changes: CarriedChange[] = []
  let at = headerBytes
  for (let left = bytes.readUInt32BE(headerBytes - 4); left > 0; left--) {
    const dataAt = at + entryBytes + bytes.readUInt32BE(at)
    const end = dataAt + bytes.readUInt32BE(at + 4)
    // Copied, so that keeping an object does not keep the whole message in memory.
    changes.push({
      about: bytes.toString('utf8', at + entryBytes, dataAt),
      data: Buffer.from(bytes.subarray(dataAt, end)),
    })
    at = end
  }
  return { from, to, changes }
}

/** Answers a question for the log's position. Includes the question's nonce, so that an old answer cannot be replayed. */
export function packProof(nonce: Buffer, position: LogPosition): Buffer {
  const bytes = Buffer.allocUnsafe(sealLength + 2 + nonceBytes + 16)
  bytes[sealLength] = version
  bytes[sealLength + 1] = kinds.proof
  nonce.copy(bytes, sealLength + 2)
  writePosition(bytes, position, sealLength + 2 + nonceBytes)
  return bytes
}

/** Undefined if it is no proof, its seal is invalid, or it answers another question. */
export function unpackProof(seals: Seals, bytes: Buffer, nonce: Buffer): LogPosition | undefined {
  if (bytes.length !== sealLength + 2 + nonceBytes + 16 || !seals.isSealed(bytes)) return undefined
  if (bytes[sealLength] !== version || bytes[sealLength + 1] !== kinds.proof) return undefined
  if (!bytes.subarray(sealLength + 2, sealLength + 2 + nonceBytes).equals(nonce)) return undefined
  return readPosition(bytes, sealLength + 2 + nonceBytes)
}

function writePosition(bytes: Buffer, { number, tag }: LogPosition, at: number): number {
  return bytes.writeBigInt64BE(BigInt(tag), bytes.writeBigInt64BE(BigInt(number), at))
}

function readPosition(bytes: Buffer, at: number): LogPosition {
  return { number: Number(bytes.readBigInt64BE(at)), tag: String(bytes.readBigInt64BE(at + 8)) }
}
