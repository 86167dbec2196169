import { parseText, type ObjectDocument } from '../read-documents.ts'

/** Something to tell in the text, above the line of a field, or at the top. */
export interface Remark {
  /** From 1; undefined for the top. */
  readonly line?: number | undefined
  readonly words: string
}

/** Starts the lines that this command adds. It removes them again before it reads the text. */
const mark = '#! '
const file = 'edited.yaml'

export function withoutRemarks(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith(mark.trimEnd()))
    .join('\n')
}

/** Adds each remark as a comment above its line. */
export function withRemarks(text: string, remarks: readonly Remark[]): string {
  const lines = text.split('\n')
  const at = Map.groupBy(remarks, ({ line = 1 }) => Math.min(Math.max(line, 1), lines.length))
  return lines
    .flatMap((line, index) => [...(at.get(index + 1) ?? []).flatMap(({ words }) => commentOf(words)), line])
    .join('\n')
}

function commentOf(words: string): readonly string[] {
  return words.split('\n').map((line) => `${mark}${line}`)
}

export interface ReadText {
  /** Undefined for a text without an object: empty, or only comments. */
  readonly document: ObjectDocument | undefined
  readonly faults: readonly Remark[]
}

export function readText(text: string): ReadText {
  const faults: string[] = []
  const [document, ...more] = parseText(file, text, faults)
  const remarks = faults.map(remarkOf)
  const second = more[0]
  if (second) remarks.push({ line: lineOf(second, []), words: 'this is a second object; keep one' })
  return { document, faults: remarks }
}

export function lineOf({ placeOf }: ObjectDocument, path: readonly (string | number)[]): number | undefined {
  return remarkOf(placeOf(path)).line
}

/** Splits `edited.yaml:12 is wrong`. */
function remarkOf(fault: string): Remark {
  const [, line, words = ''] = /^edited\.yaml(?::(\d+))?\s*(.*)$/s.exec(fault) ?? []
  return { line: line === undefined ? undefined : Number(line), words }
}
