import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginDefinition } from '@pergola/api'
import { parseAst } from 'rolldown/parseAst'
import { at, AuthorFault, placeIn } from './author-fault.ts'
import { pagesEntry } from './bundle-pages.ts'
import { meantWords } from './kit-exports.ts'

/** Rejects pages of the definition without a component, and vice versa. */
export function checkPagePaths(folder: string, { pages = [] }: PluginDefinition): void {
  const entry = pagesEntry(folder)
  if (entry === undefined) {
    if (pages.length === 0) return
    const missing = 'does not exist, but definePlugin has pages; their components are exported there'
    throw new AuthorFault([at({ file: 'src/ui/index.ts' }, missing)])
  }
  if (pages.length === 0) {
    const unnamed = 'has components, but definePlugin has no pages; name them there, each with its path'
    throw new AuthorFault([at({ file: entry }, unnamed)])
  }
  const text = readFileSync(join(folder, entry), 'utf8')
  const found = pathsIn(text)
  if (!found) return
  const faultAt = (offset: number, words: string) => at(placeIn(entry, text, offset), words)
  const known = pages.map(({ path }) => path)
  const faults = [
    ...found.paths
      .filter(({ path }) => !known.includes(path))
      .map(({ path, offset }) => faultAt(offset, `definePlugin has no page "${path}"${meantWords(path, known)}`)),
    ...known
      .filter((path) => !found.paths.some((one) => one.path === path))
      .map((path) => faultAt(found.offset, `there is no component for the page "${path}" of definePlugin`)),
  ]
  if (faults.length > 0) throw new AuthorFault(faults)
}

interface Found {
  /** Position of `definePages`. */
  readonly offset: number
  readonly paths: readonly { readonly path: string; readonly offset: number }[]
}

/** The keys of `export default definePages({ … })`; undefined if they are known only at run time. */
function pathsIn(text: string): Found | undefined {
  const exported = parseAst(text, { lang: 'ts' }).body.find(({ type }) => type === 'ExportDefaultDeclaration')
  if (exported?.type !== 'ExportDefaultDeclaration' || exported.declaration.type !== 'CallExpression') return undefined
  const {
    callee,
    start,
    arguments: [given],
  } = exported.declaration
  if (callee.type !== 'Identifier' || callee.name !== 'definePages' || given?.type !== 'ObjectExpression')
    return undefined
  const paths: { path: string; offset: number }[] = []
  for (const property of given.properties) {
    if (property.type !== 'Property' || property.computed) return undefined
    const { key } = property
    if (key.type === 'Identifier') paths.push({ path: key.name, offset: key.start })
    else if (key.type === 'Literal' && typeof key.value === 'string') paths.push({ path: key.value, offset: key.start })
    else return undefined
  }
  return { offset: start, paths }
}
