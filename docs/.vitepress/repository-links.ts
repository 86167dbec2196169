import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { docsFolder, shownFrom } from './pages.ts'

/** As much of a token as is read here. */
type Token = ReturnType<MarkdownRenderer['parse']>[number]

const repository = join(docsFolder, '..')
const pageOf = new Map(Object.entries(shownFrom).map(([page, file]) => [join(docsFolder, file), page]))

/**
 * Documents link to files, as they lie in the repository. What is a page here becomes a link to it; another file that is there
 * becomes its name; what is neither stays as it is, and fails the build. Diagrams are put into the page, where they take its colours.
 */
export function repositoryLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const page = String((env as { relativePath?: string }).relativePath)
    const folder = dirname(join(docsFolder, shownFrom[page] ?? page))
    for (const { children } of tokens) {
      linkToPages(children ?? [], folder)
      for (const token of children ?? []) if (isDiagram(token)) showDiagram(token, folder)
    }
  })
}

function linkToPages(tokens: Token[], folder: string): void {
  const open: Token[] = []
  for (const token of tokens) {
    if (token.type === 'link_open') {
      open.push(token)
      const target = targetOf(token, folder)
      if (target === undefined) continue
      if (target.page === undefined) nameOnly(token, target.file)
      else token.attrSet('href', `/${target.page}${target.anchor}`)
    } else if (token.type === 'link_close' && open.pop()?.tag === 'span') token.tag = 'span'
  }
}

interface Target {
  readonly file: string
  readonly page: string | undefined
  readonly anchor: string
}

/** Undefined for what is no file of the repository. */
function targetOf(token: Token, folder: string): Target | undefined {
  const href = String(token.attrGet('href'))
  if (/^([a-z]+:|[/#])/.test(href)) return undefined
  const [path = '', anchor] = href.split('#')
  const file = join(folder, decodeURI(path))
  if (!existsSync(file)) return undefined
  const inDocs = relative(docsFolder, file)
  const isPage = inDocs.endsWith('.md') && !inDocs.startsWith('..') && !inDocs.startsWith('surface/')
  return { file, page: isPage ? inDocs : pageOf.get(file), anchor: anchor === undefined ? '' : `#${anchor}` }
}

function nameOnly(token: Token, file: string): void {
  token.tag = 'span'
  token.attrs = [
    ['class', 'in-repository'],
    ['title', `${relative(repository, file)} in the repository`],
  ]
}

/** Pictures stay files. */
function isDiagram(token: Token): boolean {
  return token.type === 'image' && String(token.attrGet('src')).endsWith('.svg')
}

function showDiagram(token: Token, folder: string): void {
  const drawn = readFileSync(join(folder, String(token.attrGet('src'))), 'utf8').replace(/<style>[\s\S]*?<\/style>/, '')
  const label = token.content.replaceAll('"', '&quot;')
  token.type = 'html_inline'
  token.content = drawn.replace('<svg ', `<svg class="diagram" role="img" aria-label="${label}" `)
}
