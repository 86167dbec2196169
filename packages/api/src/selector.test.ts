import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isApiError, toProblem } from './problem.ts'
import {
  formatSelector,
  maxSelectorLength,
  maxSelectorSetValues,
  maxSelectorTerms,
  parseSelector,
  type SelectorKind,
  type SelectorTerm,
  type UnplacedSelectorTerm,
} from './selector.ts'

/** Runs of each property. */
const runs = 500 * Number(process.env['CASES'] ?? 1)

function withoutPlaces(terms: readonly SelectorTerm[]): UnplacedSelectorTerm[] {
  return terms.map((term) => {
    if ('values' in term) return { key: term.key, op: term.op, values: term.values }
    if ('value' in term) return { key: term.key, op: term.op, value: term.value }
    return { key: term.key, op: term.op }
  })
}

const parse = (kind: SelectorKind, text: string) => withoutPlaces(parseSelector(kind, text))

interface Refusal {
  readonly detail: string
  readonly position: number
}

/** The parsed terms, or the rejection as a client sees it. Any other error fails the test. */
function attempt(kind: SelectorKind, text: string): UnplacedSelectorTerm[] | Refusal {
  try {
    return parse(kind, text)
  } catch (error) {
    if (!isApiError(error) || error.reason !== 'InvalidSelector') throw error
    return { detail: error.message, position: Number(error.errors?.[0]?.params?.['position']) }
  }
}

function refusal(kind: SelectorKind, text: string): Refusal {
  const answer = attempt(kind, text)
  if (Array.isArray(answer)) throw new Error(`${kind} ${JSON.stringify(text)} was accepted`)
  return answer
}

describe('a selector of either kind', () => {
  const rows: readonly (readonly [string, string, ...UnplacedSelectorTerm[]])[] = [
    ['equality', 'k=v', { key: 'k', op: '=', value: 'v' }],
    ['inequality', 'k!=v', { key: 'k', op: '!=', value: 'v' }],
    ['presence', 'k', { key: 'k', op: 'present' }],
    ['absence', '!k', { key: 'k', op: 'absent' }],
    ['a set', 'k=(a,b)', { key: 'k', op: 'in', values: ['a', 'b'] }],
    ['a negated set', 'k!=(a,b)', { key: 'k', op: 'not in', values: ['a', 'b'] }],
    ['a set of one, which stays a set', 'k=(a)', { key: 'k', op: 'in', values: ['a'] }],
    ['the empty string', 'k=', { key: 'k', op: '=', value: '' }],
    ['a value other than the empty string', 'k!=', { key: 'k', op: '!=', value: '' }],
    ['the empty string in a set', 'k=(,a)', { key: 'k', op: 'in', values: ['', 'a'] }],
    [
      'several terms in their order',
      'a=1,!b,c,a=2',
      { key: 'a', op: '=', value: '1' },
      { key: 'b', op: 'absent' },
      { key: 'c', op: 'present' },
      { key: 'a', op: '=', value: '2' },
    ],
    ['a term after a set', 'a=(b),c', { key: 'a', op: 'in', values: ['b'] }, { key: 'c', op: 'present' }],
    ['a term after an empty value', 'a=,b', { key: 'a', op: '=', value: '' }, { key: 'b', op: 'present' }],
    ['a key with a prefix', 'example.com/k=v', { key: 'example.com/k', op: '=', value: 'v' }],
    ['spaces around a key, dropped', '  k  ', { key: 'k', op: 'present' }],
    ['spaces around "!", dropped', ' ! k ', { key: 'k', op: 'absent' }],
    ['an escaped space', String.raw`k=\ v\ `, { key: 'k', op: '=', value: ' v ' }],
    ['a value of spaces, dropped', 'k=  ', { key: 'k', op: '=', value: '' }],
    ['spaces before a later key, dropped', 'a, b=c', { key: 'a', op: 'present' }, { key: 'b', op: '=', value: 'c' }],
    ['spaces after a set, dropped', 'a=(b) , c', { key: 'a', op: 'in', values: ['b'] }, { key: 'c', op: 'present' }],
    ['spaces inside a value, kept', 'k=New York', { key: 'k', op: '=', value: 'New York' }],
    ['spaces at the end of a term, dropped', 'k=v ,b', { key: 'k', op: '=', value: 'v' }, { key: 'b', op: 'present' }],
    ['spaces inside the values of a set, kept', 'k=(a b,c)', { key: 'k', op: 'in', values: ['a b', 'c'] }],
    ['a tab, which does not count as a space', 'k\t', { key: 'k\t', op: 'present' }],
    ['every escape', String.raw`k=\\\,\(\)\=\!\<\>\^`, { key: 'k', op: '=', value: '\\,()=!<>^' }],
    ['every escape in a set', String.raw`k=(\\,\,\)\()`, { key: 'k', op: 'in', values: ['\\', ',)('] }],
    ['a value that begins with "("', String.raw`k=\(a\)`, { key: 'k', op: '=', value: '(a)' }],
    ['a value that begins with "="', String.raw`k=\=a`, { key: 'k', op: '=', value: '=a' }],
    ['special characters inside a value', 'k=b=c!d<e>f^g(h)', { key: 'k', op: '=', value: 'b=c!d<e>f^g(h)' }],
    ['an operator that begins a value', 'k=>5', { key: 'k', op: '=', value: '>5' }],
    ['a "(" inside a set', 'k=(a(b,c)', { key: 'k', op: 'in', values: ['a(b', 'c'] }],
    ['characters outside the basic multilingual plane', 'k=😀', { key: 'k', op: '=', value: '😀' }],
  ]
  for (const [what, text, ...expected] of rows) {
    test(`reads ${what}`, () => {
      expect(parse('labelSelector', text)).toEqual(expected)
      expect(parse('fieldSelector', text)).toEqual(expected)
    })
  }
})

describe('a fieldSelector', () => {
  const rows = [
    ['greater', 'k>5', { key: 'k', op: '>', value: '5' }],
    ['greater or equal', 'k>=5', { key: 'k', op: '>=', value: '5' }],
    ['less', 'k<5', { key: 'k', op: '<', value: '5' }],
    ['less or equal', 'k<=5', { key: 'k', op: '<=', value: '5' }],
    ['a prefix', 'k^=New', { key: 'k', op: 'prefix', value: 'New' }],
    ['a prefix that begins with "("', String.raw`k^=\(`, { key: 'k', op: 'prefix', value: '(' }],
  ] as const
  for (const [what, text, expected] of rows) {
    test(`reads ${what}`, () => expect(parse('fieldSelector', text)).toEqual([expected]))
    test(`accepts ${what}; a labelSelector does not`, () => {
      const { detail, position } = refusal('labelSelector', text)
      expect(position).toBe(2)
      expect(detail).toMatch(/labels, which know only "=", "!=" and sets/)
    })
  }
})

describe('rejected, with the position and a suggestion', () => {
  const rows = [
    ['an empty text', '', 1, /leave the parameter out/],
    ['a text of spaces', '   ', 1, /leave the parameter out/],
    ['an empty term between two', 'a,,b', 3, /term is missing/],
    ['a term of spaces', 'a,  ,b', 5, /term is missing/],
    ['a trailing comma', 'a=b,', 5, /term is missing.*remove the comma/],
    ['a leading comma', ',a', 1, /term is missing/],
    ['a comma alone', ',', 1, /term is missing/],
    ['a missing key', '=v', 1, /key is missing before the "="/],
    ['a missing key after spaces', 'a, >5', 4, /key is missing before the ">"/],
    ['"!" alone', '!', 2, /"!" needs a key/],
    ['"!" before a comma', '!,a', 2, /"!" needs a key/],
    ['two "!"', '!!a', 2, /"!" needs a key/],
    ['"!=" without a key', '!=a', 2, /"!" needs a key/],
    ['a negated key with a value', '!a=b', 3, /takes no value; write "key!=value"/],
    ['"!" behind a key', 'a!', 2, /"!key"/],
    ['"!" apart from its "="', 'a! =b', 2, /"key!=value"/],
    ['"^" without its "="', 'a^b', 2, /"key\^=prefix"/],
    ['"=="', 'a=b,c==d', 6, /"==" is not known; write a single "="$/],
    ['"==" and nothing', 'a==', 2, /single "="/],
    ['"!=="', 'a!==b', 2, /"!==" is not known; write a single "="/],
    ['">=="', 'a>==b', 2, /">==" is not known; write a single "="/],
    ['an empty set', 'a=()', 3, /set is empty; write "key=" for the empty string/],
    ['an empty negated set', 'a!=()', 4, /set is empty/],
    ['a set without a closing parenthesis', 'x,a=(b,c', 5, /add "\)"/],
    ['a set with an escaped closing parenthesis', String.raw`a=(b\)`, 3, /add "\)"/],
    ['a set with nothing after the opening parenthesis', 'a=(', 3, /add "\)"/],
    ['text after a set', 'a=(b)c', 6, /only a comma may follow/],
    ['a second ")"', 'a=(b) )', 7, /only a comma may follow/],
    ['a set after a space', 'a= (b)', 4, /right behind the operator/],
    ['a set with ">"', 'a>(b,c)', 3, /">" takes no set/],
    ['a set of prefixes', 'a^=(b,c)', 4, /"\^=" takes no set/],
    ['a set in Kubernetes syntax', 'a in (b,c)', 6, /"key=\(a,b\)"/],
    ['a ")" in a key', 'a=f(b,c)', 8, /comma inside a value as "\\,"/],
    ['an escape in a key', String.raw`a\=b`, 2, /only values have escapes/],
    ['an escape of a letter', String.raw`a=b\n`, 4, /before a space or one of \\ , \( \) = ! < > \^; write "\\\\"/],
    ['a space before the operator', 'a =b', 2, /remove the space before "="; write "a=value"/],
    ['a space behind the operator', 'a= b', 3, /remove the space behind the operator/],
    ['a space at the end of a value in a set', 'a=(b ,c)', 4, /remove the spaces around the value/],
    ['a space at the start of a value in a set', 'a=(b, c)', 6, /write "\\ "/],
    ['an escape at the end of the text', 'a=b\\', 4, /write "\\\\"/],
    ['an escape of a letter in a set', String.raw`a=(b,\c)`, 6, /write "\\\\"/],
    ['a position counted in UTF-16 units', '😀,,', 4, /term is missing/],
  ] as const
  for (const [what, text, place, message] of rows) {
    test(what, () => {
      const { detail, position } = refusal('fieldSelector', text)
      expect(detail.startsWith(`fieldSelector, character ${place}: `)).toBe(true)
      expect(detail).toMatch(message)
      expect(position).toBe(place)
    })
  }

  test('with a problem that names the query parameter', () => {
    const message = '"==" is not known; write a single "="'
    try {
      parseSelector('labelSelector', 'a,bcd  ==e')
      expect.unreachable()
    } catch (error) {
      if (!isApiError(error)) throw error
      expect(toProblem(error, { instance: '/', requestId: 'r' })).toMatchObject({
        status: 400,
        detail: `labelSelector, character 8: ${message}`,
        errors: [{ field: 'query.labelSelector', rule: 'selector', message, params: { position: 8 } }],
      })
    }
  })
})

describe('limited', () => {
  const times = (count: number) => Array.from({ length: count }, () => 'a').join(',')
  const rows = [
    ['characters', (count: number) => 'a'.repeat(count), maxSelectorLength, /has 8193 characters; at most 8192/],
    ['terms', times, maxSelectorTerms, /term 101 begins here; at most 100/],
    ['values in a set', (count: number) => `k=(${times(count)})`, maxSelectorSetValues, /value 501 .* at most 500/],
  ] as const
  for (const [what, textOf, most, message] of rows) {
    test(`by the number of ${what}`, () => {
      expect(parseSelector('labelSelector', textOf(most))).not.toHaveLength(0)
      expect(refusal('labelSelector', textOf(most + 1)).detail).toMatch(message)
    })
  }
})

test('a term has the position of its key and of its value', () => {
  expect(parseSelector('fieldSelector', ' a , !b,cc=d,e!=(f,g) ,h=')).toEqual([
    { key: 'a', op: 'present', at: 2 },
    { key: 'b', op: 'absent', at: 6 },
    { key: 'cc', op: '=', value: 'd', at: 9, valueAt: 12 },
    { key: 'e', op: 'not in', values: ['f', 'g'], at: 14, valueAt: 17 },
    { key: 'h', op: '=', value: '', at: 24, valueAt: 26 },
  ])
})

describe('formatting', () => {
  test('escapes special characters in values', () => {
    const terms = [
      { key: 'a', op: '=', value: '=(b),c' },
      { key: 'd', op: 'in', values: ['e\\', ' ^f'] },
    ] as const
    expect(formatSelector(terms)).toBe(String.raw`a=\=\(b\)\,c,d=(e\\,\ \^f)`)
  })

  test('writes a set with only the empty string as an empty value', () => {
    expect(formatSelector([{ key: 'a', op: 'in', values: [''] }])).toBe('a=')
    expect(formatSelector([{ key: 'a', op: 'not in', values: [''] }])).toBe('a!=')
  })

  test('escapes spaces at the ends of a value', () => {
    expect(formatSelector([{ key: 'a', op: '=', value: ' b c ' }])).toBe(String.raw`a=\ b c\ `)
    expect(formatSelector([{ key: 'a', op: 'in', values: [' ', 'b'] }])).toBe(String.raw`a=(\ ,b)`)
  })

  const unsayable: readonly (readonly [string, readonly UnplacedSelectorTerm[], RegExp])[] = [
    ['no terms', [], /leave the parameter out/],
    ['an empty set', [{ key: 'a', op: 'in', values: [] }], /set of "a" is empty/],
    ...['', ' a', 'a ', 'a=b', 'a,b', '!a', 'a\\', 'a(', 'a)'].map(
      (key) => [`the key "${key}"`, [{ key, op: 'present' }], /cannot be a selector's key/] as const,
    ),
  ]
  for (const [what, terms, message] of unsayable) {
    test(`refuses ${what}`, () => expect(() => formatSelector(terms)).toThrow(message))
  }
})

const special = [' ', '\\', ',', '(', ')', '=', '!', '<', '>', '^']

/** Any Unicode character, with a bias towards characters that are special in selectors. */
const value = fc.string({
  unit: fc.oneof(fc.constantFrom(...special), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
})
const key = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => !/[\\,()=!<>^]|^ | $/.test(text))
const values = fc.array(value, { minLength: 1, maxLength: 5 }).filter((all) => all.length > 1 || all[0] !== '')
const term: fc.Arbitrary<UnplacedSelectorTerm> = fc.oneof(
  fc.record({ key, op: fc.constantFrom('present', 'absent') }),
  fc.record({
    key,
    op: fc.constantFrom('=', '!=', '>', '>=', '<', '<=', 'prefix'),
    value,
  }),
  fc.record({ key, op: fc.constantFrom('in', 'not in'), values }),
)
const terms = fc.array(term, { minLength: 1, maxLength: 5 })

const kind = fc.constantFrom<SelectorKind>('labelSelector', 'fieldSelector')
const anything = fc.string({ unit: fc.constantFrom('a', 'b', 'é', ...special) })
const sound = ['a', ' !b ', 'a=b ', 'é c!=', 'a=b=c', 'b!=(a,b) ', 'a=(,\\))', 'b=\\(\\\\', 'a>=b', 'a<', 'b^=\\ a']
/** Valid terms, often with an invalid piece among them. Few texts of `anything` are accepted; of these, two in five. */
const nearlySound = fc
  .tuple(
    fc.array(fc.constantFrom(...sound), { minLength: 1, maxLength: 4 }).map((all) => all.join(',')),
    fc.nat(40),
    fc.constantFrom('', '', 'a', ...special),
  )
  .map(([text, place, stray]) => text.slice(0, place) + stray + text.slice(place))
const hostile = fc.oneof(anything, nearlySound)

/** Reference parser: the terms of a text, or undefined if it is rejected. One pattern for the whole grammar, without positions. */
function naively(ofKind: SelectorKind, text: string): UnplacedSelectorTerm[] | undefined {
  // Replaces each escaped character by a private-use character, so that the code below needs no escape handling.
  const plain = text.replaceAll(/\\([ \\,()=!<>^])/g, (_, character: string) =>
    String.fromCharCode(0xe000 + character.charCodeAt(0)),
  )
  const back = (part: string) =>
    part.replaceAll(/[\ue000-\ue0ff]/g, (standIn) => String.fromCharCode(standIn.charCodeAt(0) - 0xe000))
  if (plain.includes('\\')) return undefined
  const one =
    /^ *(!)? *([^\ue000-\ue0ff,()=!<>^]*?)( *)(?:([!><^]?=|[<>])(?:\(([^)]*)\) *|(?! *\()(?!=)([^,]*)))?(?:(,)|$)/s
  const found: UnplacedSelectorTerm[] = []
  let rest: string | undefined = plain
  while (rest !== undefined) {
    const match = one.exec(rest)
    if (!match) return undefined
    const [whole, not, name = '', gap = '', operator, set, single, comma] = match
    if (name === '' || set === '' || (not && operator) || (operator && gap)) return undefined
    if (ofKind === 'labelSelector' && operator && !['=', '!='].includes(operator)) return undefined
    if (set !== undefined) {
      if ((operator !== '=' && operator !== '!=') || /(^|,) | (,|$)/.test(set)) return undefined
      found.push({ key: name, op: operator === '=' ? 'in' : 'not in', values: set.split(',').map(back) })
    } else if (operator) {
      const op = (operator === '^=' ? 'prefix' : operator) as '=' | 'prefix'
      const trimmed = (single ?? '').replace(/ +$/, '')
      if (trimmed.startsWith(' ')) return undefined
      found.push({ key: name, op, value: back(trimmed) })
    } else found.push({ key: name, op: not ? 'absent' : 'present' })
    rest = comma && rest.slice(whole.length)
  }
  return found
}

describe('for any selector', () => {
  test('formatting and parsing terms returns the same terms', () => {
    fc.assert(
      fc.property(terms, (all) => {
        expect(parse('fieldSelector', formatSelector(all))).toEqual(all)
      }),
      { numRuns: runs },
    )
  })

  test('the text is rejected with a position in it, or its terms round-trip', () => {
    fc.assert(
      fc.property(kind, hostile, (ofKind, text) => {
        const answer = attempt(ofKind, text)
        if (Array.isArray(answer)) expect(parse(ofKind, formatSelector(answer))).toEqual(answer)
        else {
          expect(answer.position).toBeGreaterThanOrEqual(1)
          expect(answer.position).toBeLessThanOrEqual(text.length + 1)
        }
      }),
      { numRuns: runs },
    )
  })

  test('the parser accepts and rejects the same texts as the reference parser', () => {
    fc.assert(
      fc.property(kind, hostile, (ofKind, text) => {
        const answer = attempt(ofKind, text)
        expect(Array.isArray(answer) ? answer : undefined).toEqual(naively(ofKind, text))
      }),
      { numRuns: runs },
    )
  })

  test('the positions of a term and of its value point at them in the text', () => {
    fc.assert(
      fc.property(terms, (all) => {
        const text = formatSelector(all)
        for (const read of parseSelector('fieldSelector', text)) {
          expect(text.startsWith(formatSelector([read]), read.at - 1)).toBe(true)
          if ('valueAt' in read)
            expect(text.slice(read.at - 1 + read.key.length, read.valueAt - 1)).toMatch(/^([!><^]?=|[<>])$/)
        }
      }),
      { numRuns: runs },
    )
  })
})
