/**
 * Code of a document that must compile, fenced as `ts check`; `ts check plugin.ts` names it for imports by other samples.
 * `vue check page.vue` is a component.
 */
export interface Sample {
  /** Unique in its document. */
  readonly name: string
  /** Padded to the line numbers of the document, so that compiler errors point at the document. */
  readonly text: string
}

export function samplesOf(markdown: string): readonly Sample[] {
  const samples: Sample[] = []
  for (const { index, 1: name, 2: code = '' } of markdown.matchAll(/^```(?:ts|vue) check *(\S*)\n([\s\S]*?)^```$/gm)) {
    const linesBefore = markdown.slice(0, index).split('\n').length
    samples.push({ name: name || `sample-${samples.length + 1}.ts`, text: '\n'.repeat(linesBefore) + code })
  }
  return samples
}
