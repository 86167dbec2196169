import { ApiError } from '@pergola/api'
import { maxJsonDepth, refuseLossyJson } from './json-scanner.ts'

export interface JsonBody<MediaType extends string> {
  readonly mediaType: MediaType
  readonly value: unknown
}

/**
 * A request body as JSON in one of the accepted media types. What is unsafe to walk, and what would silently be stored
 * as something else than was sent, is refused here, before anything looks at it.
 */
export function parseJsonBody<const MediaType extends string>(
  contentType: string | undefined,
  body: Buffer,
  accepted: readonly MediaType[],
): JsonBody<MediaType> {
  const sent = contentType?.split(';')[0]?.trim().toLowerCase()
  const mediaType = accepted.find((known) => known === sent)
  if (mediaType === undefined) {
    throw new ApiError('UnsupportedMediaType', `send the body as ${accepted.join(' or ')}, not as ${named(sent)}`)
  }
  const text = decode(body)
  const value = parse(text)
  if (!isExact(text, value)) refuseLossyJson(text)
  return { mediaType, value }
}

function named(mediaType: string | undefined): string {
  return mediaType === undefined || mediaType === '' ? 'no content type' : mediaType
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const byteOrderMark = '\ufeff'

function decode(body: Buffer): string {
  let text: string
  try {
    text = utf8.decode(body)
  } catch (error) {
    throw new ApiError('BadRequest', 'the body is not UTF-8; encode it as UTF-8', { cause: error })
  }
  if (text.startsWith(byteOrderMark)) {
    throw new ApiError('BadRequest', 'the body begins with a byte order mark; send it without')
  }
  return text
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : String(error)
    throw new ApiError('BadRequest', `the body is not JSON: ${why}`, { cause: error })
  }
}

/**
 * Whether nothing can have been lost, by the cheap proof: the value gives the same text again, so no key stood there
 * twice and no number was rounded. That is how most programs send JSON, and costs a third of scanning the text.
 * Escapes may hide half a character, which gives the same text too; those are left to the scanner, as is every doubt.
 */
function isExact(text: string, value: unknown): boolean {
  return !text.includes('\\u') && isPlain(value, maxJsonDepth) && JSON.stringify(value) === text
}

/** Recursion ends at `levels`, so that a deep value costs no stack; `JSON.stringify` has no such end and comes after. */
function isPlain(value: unknown, levels: number): boolean {
  // Any double beyond it is a whole number or infinite.
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  if (Array.isArray(value)) return value.every((item) => isPlain(item, levels - 1))
  // Three times as fast as Object.values.
  for (const key in value) {
    if (key === '__proto__' || !isPlain((value as Record<string, unknown>)[key], levels - 1)) return false
  }
  return true
}
