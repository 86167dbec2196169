import { ApiError } from '@pergola/api'
import { fieldError } from '../call/field-error.ts'
import { maxJsonDepth, refuseLossyJson } from './json-scanner.ts'

export interface AcceptedBody<MediaType extends string> {
  readonly types: readonly MediaType[]
  /** Maximum nesting. */
  readonly maxDepth?: number | undefined
}

export interface JsonBody<MediaType extends string> {
  readonly mediaType: MediaType
  readonly value: unknown
}

/**
 * Parses a JSON body of one of the accepted media types. Refuses content that is unsafe to traverse, and content that would
 * silently be stored as something else than was sent.
 */
export function parseJsonBody<const MediaType extends string>(
  contentType: string | undefined,
  body: Buffer,
  { types, maxDepth = maxJsonDepth }: AcceptedBody<MediaType>,
): JsonBody<MediaType> {
  const sent = contentType?.split(';')[0]?.trim().toLowerCase()
  const mediaType = types.find((known) => known === sent)
  if (mediaType === undefined) {
    throw new ApiError('UnsupportedMediaType', `send the body as ${types.join(' or ')}, not as ${named(sent)}`)
  }
  const text = decode(body)
  const value = parse(text)
  if (!isExact(text, value, maxDepth)) refuseLossyJson(text, maxDepth)
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
    throw unreadable('is not UTF-8; encode it as UTF-8', error)
  }
  if (text.startsWith(byteOrderMark)) {
    throw unreadable('begins with a byte order mark; send it without')
  }
  return text
}

function unreadable(why: string, cause?: unknown): ApiError {
  return new ApiError('BadRequest', `the body ${why}`, { cause, errors: [fieldError('', 'json', why)] })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : String(error)
    throw unreadable(`is not JSON: ${why}`, error)
  }
}

/**
 * A cheap proof that nothing was lost: the value serializes to the same text, so no key was duplicated and no number was
 * rounded. Most programs send JSON this way, and it costs a third of scanning the text. Escapes may hide a lone surrogate,
 * which serializes to the same text; those are left to the scanner, as is every doubt.
 */
function isExact(text: string, value: unknown, maxDepth: number): boolean {
  return !text.includes('\\u') && isPlain(value, maxDepth) && JSON.stringify(value) === text
}

/**
 * Recursion is limited to `levels`, so that a deep value cannot exhaust the stack; `JSON.stringify` has no such limit and runs
 * after.
 */
function isPlain(value: unknown, levels: number): boolean {
  // Beyond it, every double is a whole number or infinite.
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
