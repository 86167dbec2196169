import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { docsFolder, shownFrom, sidebar } from '../../docs/.vitepress/pages.ts'

/** Leaves out decisions: they explain why, and users of the product need what. */
const leftOut = new Set(['Decisions'])

/** An index of the documentation site for language models (llms.txt): every page with its first sentence. */
export function llmsText(): string {
  const sections = sidebar()
    .filter(({ text }) => !leftOut.has(text))
    .map(({ text, items }) => [`## ${text}`, '', ...items.map(entryOf)].join('\n'))
  const head = [
    '# Pergola',
    '',
    '> A host for plugins: custom models with generated REST and watch APIs, custom APIs, controllers and role-based access control.',
  ]
  return `${[head.join('\n'), ...sections].join('\n\n')}\n`
}

function entryOf({ text, link }: { readonly text: string; readonly link: string }): string {
  const page = `${link.slice(1)}${link.endsWith('/') ? 'index' : ''}`
  const sentence = firstSentence(readFileSync(join(docsFolder, shownFrom[`${page}.md`] ?? `${page}.md`), 'utf8'))
  return `- [${text}](/${page}.html)${sentence === '' ? '' : `: ${sentence}`}`
}

/** First sentence of the first paragraph, without links and emphasis. */
function firstSentence(markdown: string): string {
  const body = markdown.replace(/^---\n[\s\S]*?\n---\n/, '').replaceAll(/^```[\s\S]*?^```$/gm, '')
  const paragraph = body.split(/\n{2,}/).find((part) => /^[\w`*[]/.test(part)) ?? ''
  const plain = paragraph
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '')
  return /^.*?[.:](?=\s|$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}
