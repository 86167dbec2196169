import { ApiError } from './problem.ts'

/** Query parameter that holds the selector; error messages name it. */
export type SelectorKind = 'labelSelector' | 'fieldSelector' | 'anyOf'

/**
 * One condition. `at` is the position of the term (its key, or its "!"), `valueAt` the position of its value or of the "(" of
 * its set. Positions are 1-based and count UTF-16 units of the parameter's text.
 */
export type SelectorTerm =
  | { readonly key: string; readonly op: 'present' | 'absent'; readonly at: number }
  | {
      readonly key: string
      readonly op: '=' | '!=' | '>' | '>=' | '<' | '<=' | 'prefix'
      readonly value: string
      readonly at: number
      readonly valueAt: number
    }
  | {
      readonly key: string
      readonly op: 'in' | 'not in'
      readonly values: readonly string[]
      readonly at: number
      readonly valueAt: number
    }

type Unplaced<Term> = Term extends unknown ? Omit<Term, 'at' | 'valueAt'> : never

/** A term without positions, for `formatSelector`. */
export type UnplacedSelectorTerm = Unplaced<SelectorTerm>

export const maxSelectorLength = 8192
export const maxSelectorTerms = 100
export const maxAlternatives = 8
/** The most terms of one alternative. */
export const maxAlternativeTerms = 4
/** The most names that a list of related objects may request. */
export const maxSelectorSetValues = 500

/**
 * Parses a selector into terms, all of which must hold. Checks only the grammar; callers check whether a key is a label or an
 * index and which values it accepts. Throws `InvalidSelector` with the position of the error.
 *
 * Details of the grammar, chosen so that no text silently selects something else:
 * - Spaces around a term are removed, and spaces inside a value belong to it. A space before the operator, right after it, or
 *   at the ends of a value in a set is rejected: such a selector would silently select nothing. "\\ " is a space of the value.
 *   Tabs and line breaks are ordinary characters.
 * - "(" directly after "=" or "!=" opens a set. After another operator, or after spaces, it is rejected. Later in a value it is
 *   literal, like every special character except "," and "\".
 * - A key has no escapes and contains no "(", ")" or "\": `k in (a,b)` is an error, not a key of that name.
 * - A set may contain the empty string, `k=(,a)`, but not only that: `k=()` is rejected; write `k=`.
 * - An empty text is rejected. It would select everything, and a collection can be deleted by selector.
 */
export function parseSelector(kind: SelectorKind, text: string): readonly SelectorTerm[] {
  const cursor: Cursor = { kind, text, index: 0 }
  if (text.length > maxSelectorLength) {
    const message = `the selector has ${text.length} characters; at most ${maxSelectorLength} are allowed`
    throw faultAt(cursor, maxSelectorLength, message)
  }
  skipSpaces(cursor)
  if (cursor.index === text.length) {
    throw faultAt(cursor, 0, 'the selector is empty; write a term, or leave the parameter out')
  }
  const terms: SelectorTerm[] = []
  do {
    skipSpaces(cursor)
    if (terms.length === maxSelectorTerms) {
      throw fault(cursor, `term ${terms.length + 1} begins here; at most ${maxSelectorTerms} are allowed`)
    }
    terms.push(readTerm(cursor))
  } while (take(cursor, ','))
  return terms
}

/**
 * Formats terms as text that parses back to the same terms. A set with only the empty string becomes `k=`, which means the
 * same. Throws for terms that the grammar cannot express: no terms, an empty set, an invalid key. Does not check length limits;
 * the parser does.
 */
export function formatSelector(terms: readonly UnplacedSelectorTerm[]): string {
  if (terms.length === 0) throw new Error('a selector needs a term; leave the parameter out to select everything')
  return terms.map(formatTerm).join(',')
}

/** Parser state; `index` is the next character. */
interface Cursor {
  readonly kind: SelectorKind
  readonly text: string
  index: number
}

const special: readonly string[] = ['\\', ',', '(', ')', '=', '!', '<', '>', '^']
const keyEnds = special
const valueEnds = [',']
const setValueEnds = [',', ')']

/** Longer operators first, because ">" is a prefix of ">=". */
const operators = ['!=', '>=', '<=', '^=', '=', '>', '<'] as const
type Operator = (typeof operators)[number]

/** Parses one term and stops at a comma or the end. */
function readTerm(cursor: Cursor): SelectorTerm {
  const at = cursor.index + 1
  const absent = take(cursor, '!')
  const key = readKey(cursor, absent)
  if (atTermEnd(cursor)) return { key, op: absent ? 'absent' : 'present', at }
  if (absent) throw fault(cursor, 'a term that begins with "!" takes no value; write "key!=value"')
  const keyEnd = cursor.index
  const operator = readOperator(cursor)
  if (cursor.text[keyEnd - 1] === ' ') {
    throw faultAt(cursor, keyEnd - 1, `remove the space before "${operator}"; write "${key}${operator}value"`)
  }
  const valueAt = cursor.index + 1
  if (opensSet(cursor, operator)) {
    return { key, op: operator === '=' ? 'in' : 'not in', values: readSet(cursor), at, valueAt }
  }
  return {
    key,
    op: operator === '^=' ? 'prefix' : operator,
    value: readWholeValue(cursor),
    at,
    valueAt,
  }
}

function readKey(cursor: Cursor, absent: boolean): string {
  skipSpaces(cursor)
  const start = cursor.index
  while (!atEnd(cursor, keyEnds)) cursor.index++
  let end = cursor.index
  while (end > start && cursor.text[end - 1] === ' ') end--
  const next = cursor.text[cursor.index]
  if (next === '\\') throw fault(cursor, 'a key holds no "\\"; only values have escapes')
  if (next === '(' || next === ')') {
    throw fault(cursor, `a key holds no "${next}"; write a set as "key=(a,b)" and a comma inside a value as "\\,"`)
  }
  if (end > start) return cursor.text.slice(start, end)
  if (absent) throw fault(cursor, '"!" needs a key behind it; write "!key"')
  if (atTermEnd(cursor)) throw fault(cursor, 'a term is missing; write one, or remove the comma')
  throw fault(cursor, `a key is missing before the "${next}"; write one`)
}

function readOperator(cursor: Cursor): Operator {
  const { kind, text, index } = cursor
  const first = text.charAt(index)
  if (kind === 'labelSelector' && '<>^'.includes(first)) {
    throw fault(cursor, `"${first}" is not for labels, which know only "=", "!=" and sets such as "key=(a,b)"`)
  }
  const operator = operators.find((candidate) => text.startsWith(candidate, index))
  if (operator === undefined) {
    const hint = first === '!' ? '"key!=value" or "!key"' : '"key^=prefix"'
    throw fault(cursor, `"${first}" behind a key is not known; write ${hint}`)
  }
  if (text.startsWith('=', index + operator.length)) {
    throw fault(cursor, `"${operator}=" is not known; write a single "="`)
  }
  cursor.index += operator.length
  return operator
}

/** Rejects a "(" that could either open a set or be part of the value. */
function opensSet(cursor: Cursor, operator: Operator): boolean {
  let first = cursor.index
  while (cursor.text[first] === ' ') first++
  if (cursor.text[first] !== '(') return false
  if (operator !== '=' && operator !== '!=') {
    throw faultAt(cursor, first, `"${operator}" takes no set; write "\\(" for a value that begins with "("`)
  }
  if (first > cursor.index) {
    throw faultAt(cursor, first, 'a set begins right behind the operator; remove the space, or write "\\(" for a value')
  }
  return true
}

function readSet(cursor: Cursor): readonly string[] {
  const open = cursor.index
  const values: string[] = []
  do {
    // Skips the "(" first, then each comma.
    cursor.index++
    if (values.length === maxSelectorSetValues) {
      throw fault(
        cursor,
        `value ${values.length + 1} begins here; at most ${maxSelectorSetValues} are allowed in a set`,
      )
    }
    values.push(readSetValue(cursor))
  } while (cursor.text[cursor.index] === ',')
  if (!take(cursor, ')')) throw faultAt(cursor, open, 'the set that begins here has no end; add ")"')
  if (values.length === 1 && values[0] === '') {
    throw faultAt(cursor, open, 'the set is empty; write "key=" for the empty string, or "!key" for no value')
  }
  skipSpaces(cursor)
  if (!atTermEnd(cursor)) throw fault(cursor, 'only a comma may follow a set; write "\\)" for a ")" inside a value')
  return values
}

/** The value of a term without a set; spaces behind it are those around the term. */
function readWholeValue(cursor: Cursor): string {
  const start = cursor.index
  const { value, spaces } = readValue(cursor, valueEnds)
  const kept = value.slice(0, value.length - spaces)
  if (kept !== '' && cursor.text[start] === ' ') {
    throw faultAt(
      cursor,
      start,
      'remove the space behind the operator, or write "\\ " for a value that begins with one',
    )
  }
  return kept
}

function readSetValue(cursor: Cursor): string {
  const start = cursor.index
  const { value, spaces } = readValue(cursor, setValueEnds)
  if (cursor.text[start] === ' ' || spaces > 0) {
    throw faultAt(cursor, start, 'remove the spaces around the value, or write "\\ " for one that belongs to it')
  }
  return value
}

/** Also returns the number of unescaped spaces at its end. */
function readValue(cursor: Cursor, ends: readonly string[]): { readonly value: string; readonly spaces: number } {
  let value = ''
  let spaces = 0
  while (!atEnd(cursor, ends)) {
    if (cursor.text[cursor.index] === '\\') {
      const escaped = cursor.text.charAt(cursor.index + 1)
      if (escaped !== ' ' && !special.includes(escaped)) {
        throw fault(cursor, `"\\" stands only before a space or one of ${special.join(' ')}; write "\\\\" for itself`)
      }
      cursor.index++
      spaces = 0
    } else spaces = cursor.text[cursor.index] === ' ' ? spaces + 1 : 0
    value += cursor.text.charAt(cursor.index)
    cursor.index++
  }
  return { value, spaces }
}

function skipSpaces(cursor: Cursor): void {
  while (cursor.text[cursor.index] === ' ') cursor.index++
}

function take(cursor: Cursor, character: string): boolean {
  if (cursor.text[cursor.index] !== character) return false
  cursor.index++
  return true
}

function atEnd(cursor: Cursor, ends: readonly string[]): boolean {
  const next = cursor.text[cursor.index]
  return next === undefined || ends.includes(next)
}

function atTermEnd(cursor: Cursor): boolean {
  return atEnd(cursor, valueEnds)
}

function fault(cursor: Cursor, message: string): ApiError {
  return faultAt(cursor, cursor.index, message)
}

function faultAt({ kind }: Cursor, index: number, message: string): ApiError {
  const position = index + 1
  return new ApiError('InvalidSelector', `${kind}, character ${position}: ${message}`, {
    errors: [{ field: `query.${kind}`, rule: 'selector', message, params: { position } }],
  })
}

function formatTerm(term: UnplacedSelectorTerm): string {
  const key = sayableKey(term.key)
  switch (term.op) {
    case 'present':
      return key
    case 'absent':
      return `!${key}`
    case 'in':
      return `${key}=${formatSet(term)}`
    case 'not in':
      return `${key}!=${formatSet(term)}`
    case '=':
    case '!=':
      return `${key}${term.op}${escape(term.value)}`
    default:
      return `${key}${term.op === 'prefix' ? '^=' : term.op}${escape(term.value)}`
  }
}

function formatSet({ key, values }: { readonly key: string; readonly values: readonly string[] }): string {
  if (values.length === 0) throw new Error(`the set of "${key}" is empty; a selector cannot say that`)
  if (values.length === 1 && values[0] === '') return ''
  return `(${values.map(escape).join(',')})`
}

/** Rejects a key that the parser would read differently. */
function sayableKey(key: string): string {
  if (key !== '' && !key.startsWith(' ') && !key.endsWith(' ') && !keyEnds.some((end) => key.includes(end))) return key
  throw new Error(
    `"${key}" cannot be a selector's key; it must not be empty, start or end with a space, or hold ${special.join(' ')}`,
  )
}

function escape(value: string): string {
  return value.replaceAll(/[\\,()=!<>^]|^ | $/g, String.raw`\$&`)
}
