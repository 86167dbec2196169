/** Code of a document that has to compile, fenced as `ts check`, with a name where another sample imports it: `ts check plugin.ts`. */
export interface Sample {
  /** Among the samples of its document. */
  readonly name: string
  /** On the lines that it has in the document, so that what a compiler says of one is true of the other. */
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
