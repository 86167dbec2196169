import { ApiError } from './problem.ts'

/** The query parameter a selector came in; errors name it. */
export type SelectorKind = 'labelSelector' | 'fieldSelector'

/**
 * One condition. `at` is where the term begins (its key, or its "!"), `valueAt` where its value or its set's "(" does:
 * 1-based, in characters of the parameter's text as JavaScript counts them (UTF-16 units).
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

/** A term that stands in no text yet. */
export type UnplacedSelectorTerm = Unplaced<SelectorTerm>

export const maxSelectorLength = 8192
export const maxSelectorTerms = 100
/** As many names as a list of related objects may ask for. */
export const maxSelectorSetValues = 500

/**
 * Every term of one parameter's text; all of them must hold. Only the grammar is checked: whether a key is a label or an
 * index, and what its values may be, is for those who know. Throws `InvalidSelector` with the place of the fault.
 *
 * What the grammar's one sentence leaves open is read so that no text quietly selects something else:
 * - Spaces at the ends of a term are dropped, and those around its key. Behind the operator they belong to the value, in a
 *   set also those at a value's end: no escape writes a space, so `city=(New )` asks for a value that ends in one. A tab or
 *   a line break is a character like any other.
 * - "(" right behind "=" or "!=" opens a set; behind another operator, or behind spaces, it is refused.
 *   Further on in a value it stands for itself, as every special character does there but "," and "\".
 * - A key has no escapes and holds no "(", ")" or "\": `k in (a,b)` is an error, not a key of that name.
 * - A set may hold the empty string, `k=(,a)`, but not alone: `k=()` is refused, `k=` says it.
 * - An empty text is refused. It would select everything, and a collection can be deleted by selector.
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
 * The text that parses to these terms. A set of nothing but one empty string becomes `k=`, which means the same. What no
 * text can say is an error of the program that asks: no terms, an empty set, a key the grammar has no place for.
 * The bounds are the parser's to check.
 */
export function formatSelector(terms: readonly UnplacedSelectorTerm[]): string {
  if (terms.length === 0) throw new Error('a selector needs a term; leave the parameter out to select everything')
  return terms.map(formatTerm).join(',')
}

/** Where reading has come to: `index` is the next character. */
interface Cursor {
  readonly kind: SelectorKind
  readonly text: string
  index: number
}

const special: readonly string[] = ['\\', ',', '(', ')', '=', '!', '<', '>', '^']
const keyEnds = special
const valueEnds = [',']
const setValueEnds = [',', ')']

/** Longer ones first: ">" begins ">=" too. */
const operators = ['!=', '>=', '<=', '^=', '=', '>', '<'] as const
type Operator = (typeof operators)[number]

/** Leaves the cursor at a comma or at the end. */
function readTerm(cursor: Cursor): SelectorTerm {
  const at = cursor.index + 1
  const absent = take(cursor, '!')
  const key = readKey(cursor, absent)
  if (atTermEnd(cursor)) return { key, op: absent ? 'absent' : 'present', at }
  if (absent) throw fault(cursor, 'a term that begins with "!" takes no value; write "key!=value"')
  const operator = readOperator(cursor)
  const valueAt = cursor.index + 1
  if (opensSet(cursor, operator)) {
    return { key, op: operator === '=' ? 'in' : 'not in', values: readSet(cursor), at, valueAt }
  }
  return {
    key,
    op: operator === '^=' ? 'prefix' : operator,
    value: readValue(cursor, valueEnds).replace(/ +$/, ''),
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

/** Refuses a "(" of which one could not say whether it opens a set or is the value's own. */
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
    // Over the "(" at first, then over each comma.
    cursor.index++
    if (values.length === maxSelectorSetValues) {
      throw fault(
        cursor,
        `value ${values.length + 1} begins here; at most ${maxSelectorSetValues} are allowed in a set`,
      )
    }
    values.push(readValue(cursor, setValueEnds))
  } while (cursor.text[cursor.index] === ',')
  if (!take(cursor, ')')) throw faultAt(cursor, open, 'the set that begins here has no end; add ")"')
  if (values.length === 1 && values[0] === '') {
    throw faultAt(cursor, open, 'the set is empty; write "key=" for the empty string, or "!key" for no value')
  }
  skipSpaces(cursor)
  if (!atTermEnd(cursor)) throw fault(cursor, 'only a comma may follow a set; write "\\)" for a ")" inside a value')
  return values
}

function readValue(cursor: Cursor, ends: readonly string[]): string {
  let value = ''
  while (!atEnd(cursor, ends)) {
    if (cursor.text[cursor.index] === '\\') {
      const escaped = cursor.text.charAt(cursor.index + 1)
      if (!special.includes(escaped)) {
        throw fault(cursor, `"\\" stands only before one of ${special.join(' ')}; write "\\\\" for itself`)
      }
      cursor.index++
    }
    value += cursor.text.charAt(cursor.index)
    cursor.index++
  }
  return value
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
    errors: [{ pointer: '', field: kind, rule: 'selector', message, params: { position } }],
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
      // Only in a set does a space at the end count.
      return `${key}${term.op}${term.value.endsWith(' ') ? formatSet({ key, values: [term.value] }) : escape(term.value)}`
    default:
      if (term.value.endsWith(' ')) throw new Error(`the value of "${key}" ends in a space; a selector cannot say that`)
      return `${key}${term.op === 'prefix' ? '^=' : term.op}${escape(term.value)}`
  }
}

function formatSet({ key, values }: { readonly key: string; readonly values: readonly string[] }): string {
  if (values.length === 0) throw new Error(`the set of "${key}" is empty; a selector cannot say that`)
  if (values.length === 1 && values[0] === '') return ''
  return `(${values.map(escape).join(',')})`
}

/** Written as it is, such a key would be read as something else. */
function sayableKey(key: string): string {
  if (key !== '' && !key.startsWith(' ') && !key.endsWith(' ') && !keyEnds.some((end) => key.includes(end))) return key
  throw new Error(
    `"${key}" cannot be a selector's key; it must not be empty, start or end with a space, or hold ${special.join(' ')}`,
  )
}

function escape(value: string): string {
  return value.replaceAll(/[\\,()=!<>^]/g, String.raw`\$&`)
}
