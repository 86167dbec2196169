/** Takes a row: its fields are in `bytes` from `start`, as the protocol has them. */
export type TakeRow = (bytes: Buffer, start: number) => void

interface Receivers {
  /** Whoever takes rows at the moment; without one, they are passed on as well. */
  readonly taker: () => TakeRow | undefined
  /** Whole messages that are no rows. */
  readonly pass: (messages: Buffer) => void
}

const dataRow = 'D'.charCodeAt(0)
/** A letter and the length of what follows, itself included. */
const headBytes = 5
/** After the head: the number of fields. */
const countBytes = 2

/** Splits what the server sends into rows and other messages. Returns what must be called with each chunk. */
export function splitRows({ taker, pass }: Receivers): (chunk: Buffer) => void {
  let begun: Buffer[] = []
  let length = 0
  let wanted = 0
  return (chunk) => {
    begun.push(chunk)
    length += chunk.length
    // A message of many chunks is joined once.
    if (length < wanted) return
    const bytes = begun.length === 1 ? chunk : Buffer.concat(begun)
    let passed = 0
    let at = 0
    wanted = headBytes
    while (at + headBytes <= bytes.length) {
      const end = at + 1 + bytes.readUInt32BE(at + 1)
      if (end > bytes.length) {
        wanted = end - at
        break
      }
      if (bytes[at] === dataRow) {
        // What comes before may decide who takes the row.
        if (passed < at) pass(bytes.subarray(passed, at))
        passed = at
        const take = taker()
        if (take) {
          take(bytes, at + headBytes + countBytes)
          passed = end
        }
      }
      at = end
    }
    if (passed < at) pass(bytes.subarray(passed, at))
    begun = at < bytes.length ? [bytes.subarray(at)] : []
    length = bytes.length - at
  }
}
