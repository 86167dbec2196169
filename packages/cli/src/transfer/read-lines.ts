import { createReadStream } from 'node:fs'

/** Longer than any object that a server takes. */
export const longest = 4 * 1024 * 1024
const newline = 0x0a

export interface ReadLine {
  /** From 1. */
  readonly number: number
  readonly text: string
  /** Position behind the line, in bytes. */
  readonly end: number
}

/** A line and its position, to continue behind it. */
export interface LinePosition {
  readonly number: number
  readonly end: number
}

/** Yields the lines of a file from a position on; holds one line at a time. */
export async function* readLines(
  source: string | NodeJS.ReadableStream,
  from: LinePosition = { number: 0, end: 0 },
): AsyncGenerator<ReadLine, void, undefined> {
  const stream = typeof source === 'string' ? createReadStream(source, { start: from.end }) : source
  let { number, end } = from
  let rest: Buffer = Buffer.alloc(0)
  const lineOf = (bytes: Buffer, length: number): ReadLine => {
    number++
    end += length
    return { number, text: bytes.toString('utf8'), end }
  }
  for await (const chunk of stream) {
    let bytes = Buffer.concat([rest, chunk as Buffer])
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline)) {
      yield lineOf(bytes.subarray(0, at), at + 1)
      bytes = bytes.subarray(at + 1)
    }
    // A copy, so that the chunk can be freed.
    rest = Buffer.from(bytes)
    if (rest.length > longest) throw new Error(`line ${number + 1} is longer than 4 MiB`)
  }
  if (rest.length > 0) yield lineOf(rest, rest.length)
}
