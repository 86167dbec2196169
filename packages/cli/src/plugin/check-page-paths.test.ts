import type { PluginDefinition } from '@pergola/api'
import { expect, test } from 'vitest'
import { AuthorFault } from './author-fault.ts'
import { checkPagePaths } from './check-page-paths.ts'
import { todoProject } from './plugin-project.rows.ts'

const pages = [
  { path: '', title: 'A' },
  { path: 'boards/:name', title: 'B' },
]

function faultsOf(text: string): readonly string[] {
  using project = todoProject({ 'src/ui/index.ts': `import { definePages } from '@pergola/console'\n${text}` })
  try {
    checkPagePaths(project.folder, { pages } as unknown as PluginDefinition)
    return []
  } catch (error) {
    if (error instanceof AuthorFault) return error.lines
    throw error
  }
}

const rows: readonly (readonly [what: string, text: string, told: readonly string[]])[] = [
  [
    'other paths are reported, with their positions',
    "export default definePages({\n  '': {},\n  'board/:name': {},\n})\n",
    [
      'src/ui/index.ts:4:3 definePlugin has no page "board/:name"; did you mean "boards/:name"?',
      'src/ui/index.ts:2:16 there is no component for the page "boards/:name" of definePlugin',
    ],
  ],
  ['the same paths are accepted', "export default definePages({ 'boards/:name': {}, '': {} as object })\n", []],
  [
    'paths that are known only at run time are not checked',
    'const all = {}\nexport default definePages({ ...all })',
    [],
  ],
]
test.each(rows)('%s', (_, text, told) => {
  expect(faultsOf(text)).toEqual(told)
})
