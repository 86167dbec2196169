import { ApiError, type FieldError, type FieldRule } from '@pergola/api'
import { shortened } from '../base/shortened.ts'
import { fieldError, movedTo, step } from '../call/field-error.ts'
import { numberFault } from './json-number.ts'
import { invalidBody } from './refuse-body.ts'

/** Maximum nesting of a body, where nothing else is stated. */
export const maxJsonDepth = 64

/** Maximum number of reported errors. */
const maxFaults = 100
/** Pointers repeat the keys above them: one long key above many bad numbers would make an answer of gigabytes. */
const maxPointersLength = 20_000

/** An enclosing object or array. */
interface Frame {
  /** The keys seen so far; absent in an array. */
  readonly keys: Set<string> | undefined
  /** The current key or index. */
  place: string | number
}

interface Scan {
  readonly text: string
  readonly maxDepth: number
  at: number
  /** Outermost first. */
  readonly frames: Frame[]
  /** Whether the next string is a key. */
  keyNext: boolean
  /** Numbers that would be rounded. */
  readonly faults: FieldError[]
  pointersLength: number
}

/**
 * Scans text that `JSON.parse` has accepted and refuses what parsing would lose: duplicate keys, rounded numbers, lone
 * surrogates; and what is unsafe to traverse: the key `__proto__` and deep nesting. One pass without recursion, in linear time.
 * Numbers are reported together, when the rest of the body is valid.
 */
export function refuseLossyJson(text: string, maxDepth: number): void {
  const scan: Scan = { text, maxDepth, at: 0, frames: [], keyNext: false, faults: [], pointersLength: 0 }
  while (scan.at < text.length) scanToken(scan)
  const { faults } = scan
  if (faults.length === 0) return
  throw invalidBody('the body', faults)
}

const [quote, backslash, comma, minus, digitZero, digitNine] = [0x22, 0x5c, 0x2c, 0x2d, 0x30, 0x39]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]
const [plus, exponent, lowerCaseBit] = [0x2b, 0x65, 0x20]

/** The text is valid JSON, so one character tells which token begins here. */
function scanToken(scan: Scan): void {
  const code = scan.text.charCodeAt(scan.at)
  if (code === quote) scanString(scan)
  else if (code === minus || (code >= digitZero && code <= digitNine)) scanNumber(scan)
  else {
    if (code === openBrace) enter(scan, { keys: new Set(), place: '' })
    else if (code === openBracket) enter(scan, { keys: undefined, place: 0 })
    else if (code === closeBrace || code === closeBracket) leave(scan)
    else if (code === comma) toNextPlace(scan)
    scan.at++
  }
}

function enter(scan: Scan, frame: Frame): void {
  if (scan.frames.length === scan.maxDepth) throw refused(scan, tooDeep(scan.maxDepth))
  scan.frames.push(frame)
  scan.keyNext = frame.keys !== undefined
}

function leave(scan: Scan): void {
  scan.frames.pop()
  scan.keyNext = false
}

function toNextPlace(scan: Scan): void {
  const frame = scan.frames.at(-1)
  if (typeof frame?.place === 'number') frame.place++
  else scan.keyNext = true
}

function scanString(scan: Scan): void {
  const { text, at: start } = scan
  let escaped = false
  let end = start + 1
  for (let code = text.charCodeAt(end); code !== quote; code = text.charCodeAt(++end)) {
    if (code !== backslash) continue
    escaped = true
    end++
  }
  scan.at = end + 1
  if (scan.keyNext) takeKey(scan, escaped ? unescaped(text.slice(start, scan.at)) : text.slice(start + 1, end))
  // Valid UTF-8 has no lone surrogates: only an escape can make one.
  else if (escaped && !unescaped(text.slice(start, scan.at)).isWellFormed()) throw refused(scan, loneSurrogate)
}

function unescaped(string: string): string {
  return JSON.parse(string) as string
}

function takeKey(scan: Scan, key: string): void {
  const frame = scan.frames.at(-1)
  if (!frame?.keys) throw new Error(`the scan of a body met a key outside of an object, at character ${scan.at}`)
  scan.keyNext = false
  frame.place = key
  if (key === '__proto__') throw refused(scan, forbiddenKey)
  if (!key.isWellFormed()) throw refused(scan, loneSurrogate)
  const known = frame.keys.size
  if (frame.keys.add(key).size === known) throw refused(scan, repeatedKey)
}

function scanNumber(scan: Scan): void {
  const { text, at: start } = scan
  let end = start + 1
  while (isNumberPart(text.charCodeAt(end))) end++
  scan.at = end
  const number = text.slice(start, end)
  const fault = numberFault(number)
  if (fault === undefined || scan.faults.length === maxFaults || scan.pointersLength > maxPointersLength) return
  const pointer = pointerOf(scan)
  scan.pointersLength += pointer.length
  const value = shortened(number)
  scan.faults.push(
    fieldError(pointer, 'number', {
      message: `is ${value}, ${fault}; use a string`,
      params: { value, ...lossOf(number) },
    }),
  )
}

/** The values in the words of `numberFault`. */
function lossOf(number: string): { readonly limit?: number; readonly kept?: string } {
  const value = Number(number)
  return Math.abs(value) > Number.MAX_SAFE_INTEGER ? { limit: Number.MAX_SAFE_INTEGER } : { kept: String(value) }
}

/** A digit, sign, point or exponent. A number is followed by a comma, a bracket, a space or the end. */
function isNumberPart(code: number): boolean {
  return (code >= minus && code <= digitNine) || code === plus || (code | lowerCaseBit) === exponent
}

function pointerOf({ frames }: Scan): string {
  return frames.reduce((pointer, { place }) => step(pointer, String(place)), '').toWellFormed()
}

type Fault = Pick<FieldError, 'message' | 'params'> & { readonly rule: FieldRule }

const tooDeep = (maxDepth: number): Fault => ({
  rule: 'depth',
  message: `nests deeper than ${maxDepth} levels; make it flatter`,
  params: { limit: maxDepth },
})
const forbiddenKey: Fault = {
  rule: 'key',
  message: 'is a key that no object may have; rename it',
  params: { fault: 'forbidden' },
}
const repeatedKey: Fault = { rule: 'duplicate', message: 'is a duplicate key; send each key once' }
const loneSurrogate: Fault = { rule: 'surrogate', message: 'has half of a surrogate pair; send whole characters' }

function refused(scan: Scan, fault: Fault): ApiError {
  const pointer = pointerOf(scan)
  const { message } = fault
  const detail = `the body cannot be stored unchanged: ${shortened(pointer) || 'it'} ${message}`
  return new ApiError('BadRequest', detail, { errors: [movedTo(pointer, { ...fault, field: '' })] })
}
