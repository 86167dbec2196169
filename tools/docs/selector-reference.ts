import { isApiError } from '../../packages/api/src/problem.ts'
import { parseSelector, type SelectorKind } from '../../packages/api/src/selector.ts'
import { codeCell, plainText, table } from './markdown.ts'

type Example = readonly [text: string, meaning: string]

const both: readonly Example[] = [
  ['key=value', 'the value is this one; `key=` is the empty string'],
  ['key!=value', 'the value is another one, or there is none'],
  ['key=(a,b)', 'the value is one of these'],
  ['key!=(a,b)', 'the value is none of these, or there is none'],
  ['key', 'there is a value'],
  ['!key', 'there is no value'],
]

const fieldsOnly: readonly Example[] = [
  ['field>value', 'above; also `>=`, `<`, `<=`. By number, by time, or by the bytes of a text'],
  ['field^=prefix', 'begins with this text; only for indexes of strings'],
]

const escapes: readonly Example[] = [
  [String.raw`spec.title=Milk\, bread`, 'the text `Milk, bread`'],
  [String.raw`spec.title=\(draft\)`, 'the text `(draft)`'],
  ['spec.title=a (b) c', 'the text `a (b) c`: only the first character needs the backslash'],
  [String.raw`spec.path=C:\\temp`, 'the text `C:\\temp`'],
  [String.raw`spec.title=\ x`, 'a text that begins with a space'],
  [' spec.state=open , spec.rank>3 ', 'spaces around terms are ignored'],
]

const mistakes: readonly (readonly [SelectorKind, string])[] = [
  ['fieldSelector', ''],
  ['fieldSelector', 'spec.state = open'],
  ['fieldSelector', 'spec.state= open'],
  ['fieldSelector', 'spec.state==open'],
  ['fieldSelector', 'spec.state=()'],
  ['fieldSelector', 'spec.state=(open, done)'],
  ['fieldSelector', 'spec.state in (open,done)'],
  ['fieldSelector', 'spec.state>(a,b)'],
  ['fieldSelector', '!spec.state=open'],
  ['fieldSelector', 'spec.state=open,'],
  ['fieldSelector', String.raw`spec.path=C:\temp`],
  ['labelSelector', 'example.com/rank>3'],
]

/** All forms of a term. Every example is parsed, so an invalid one fails the build of the page. */
export function selectorForms(): string {
  const rows = [
    ...both.map(([text, meaning]) => formRow(['labelSelector', 'fieldSelector', 'anyOf'], text, meaning)),
    ...fieldsOnly.map(([text, meaning]) => formRow(['fieldSelector', 'anyOf'], text, meaning)),
  ]
  return table(['Term', 'Selects objects of which', 'In'], rows)
}

function formRow(kinds: readonly SelectorKind[], text: string, meaning: string): readonly string[] {
  for (const kind of kinds) parseSelector(kind, text)
  return [codeCell(text), meaning, kinds.map((kind) => `\`${kind}\``).join(', ')]
}

export function selectorEscapes(): string {
  const rows = escapes.map(([text, meaning]) => {
    parseSelector('fieldSelector', text)
    return [codeCell(text.trim()), meaning]
  })
  return table(['Selector', 'Means'], rows)
}

/** The parser's messages for common mistakes. */
export function selectorMistakes(): string {
  const rows = mistakes.map(([kind, text]) => [
    text === '' ? '(empty)' : codeCell(text),
    plainText(answerTo(kind, text)),
  ])
  return table(['Selector', '400 `InvalidSelector`'], rows)
}

function answerTo(kind: SelectorKind, text: string): string {
  try {
    parseSelector(kind, text)
  } catch (error) {
    if (isApiError(error)) return error.message
    throw error
  }
  throw new Error(`the selector "${text}" is no mistake`)
}
