/** Code of a document that has to compile, fenced as `ts check`, with a name where another sample imports it: `ts check plugin.ts`. */
export interface Sample {
  /** Unique in its document. */
  readonly name: string
  /** Padded to the line numbers of the document, so that compiler errors point at the document. */
  readonly text: string
}

export function samplesOf(markdown: string): readonly Sample[] {
  const samples: Sample[] = []
  for (const { index, 1: name, 2: code = '' } of markdown.matchAll(/^```ts check *(\S*)\n([\s\S]*?)^```$/gm)) {
    const linesBefore = markdown.slice(0, index).split('\n').length
    samples.push({ name: name || `sample-${samples.length + 1}.ts`, text: '\n'.repeat(linesBefore) + code })
  }
  return samples
}
