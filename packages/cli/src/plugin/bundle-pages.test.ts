import { mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { AuthorFault } from './author-fault.ts'
import { buildPackage, type BuildOptions } from './build-package.ts'
import { bundlePages, firstPage } from './bundle-pages.ts'
import { todoProject } from './plugin-project.rows.ts'

const root = join(import.meta.dirname, '../../../..')
const modules = join(root, 'node_modules')
const example = join(root, 'examples/todo/src/plugin.ts')

interface Loaded {
  readonly default: Readonly<Record<string, unknown>>
  readonly style: string
  readonly text: string
  readonly state?: string
  readonly hot?: ReadonlyMap<string, { readonly component: object; readonly template: string }>
}

/** Packs pages and loads them, as the browser would. */
async function load(
  files: Readonly<Record<string, string>>,
  options: Pick<BuildOptions, 'forDevelopment'> = {},
): Promise<Loaded> {
  using project = todoProject(files)
  symlinkSync(join(modules, 'vue'), join(project.folder, 'node_modules/vue'))
  const { files: packed } = await buildPackage({ ...options, folder: project.folder, conditions: ['@pergola/source'] })
  const folder = mkdtempSync(join(tmpdir(), 'pergola-pages-'))
  symlinkSync(modules, join(folder, 'node_modules'))
  const { writeFile } = await import('node:fs/promises')
  const file = join(folder, 'index.mjs')
  const text = String(packed.get(firstPage))
  await writeFile(file, text)
  return { ...((await import(file)) as Omit<Loaded, 'text'>), text }
}

async function faultsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  using project = todoProject(files)
  symlinkSync(join(root, 'packages/console'), join(project.folder, 'node_modules/@pergola/console'))
  const fault: unknown = await bundlePages(project.folder, { 'src/plugin.ts': { Todo: {} } }).catch(
    (error: unknown) => error,
  )
  if (fault instanceof AuthorFault) return fault.lines
  throw new Error('expected a fault of the author', { cause: fault })
}

test('pages are components of Vue in .vue and .tsx files, with their styles', async () => {
  const { default: pages, style } = await load({
    'src/ui/index.ts': "import A from './a.vue'\nimport { b } from './b.tsx'\nexport default { '': A, b: b() }",
    'src/ui/a.vue': [
      '<script setup lang="ts">',
      'const count = 7 as number',
      '</script>',
      '<template><p class="big">{{ count as number }}</p></template>',
      '<style scoped>.big { color: red }</style>',
    ].join('\n'),
    'src/ui/b.tsx': 'export const b = () => <b title="from tsx">text</b>\n',
    'src/ui/style.css': '.first {}',
  })
  expect(pages).toMatchObject({ '': { __name: 'a' }, b: { type: 'b', props: { title: 'from tsx' }, children: 'text' } })
  const { __scopeId: id = '' } = pages[''] as { readonly __scopeId?: string }
  expect(style).toBe(`.first {}\n.big[${id}] { color: red\n}`)
})

describe('in development, the state of pages', () => {
  const page = {
    script: '<script setup lang="ts">\nimport { word } from \'./word.ts\'\nconst count = 7 as number\n</script>\n',
    template: '<template><p class="big">{{ word }} {{ count as number }}</p></template>\n',
    style: '<style scoped>.big { color: red }</style>\n',
    word: "export const word = 'one'\n",
  }
  const build = async (changed: Partial<typeof page> = {}) => {
    const { script, template, style, word } = { ...page, ...changed }
    const { state, hot } = await load(
      {
        'src/ui/index.ts': "import A from './a.vue'\nexport default { '': A }",
        'src/ui/a.vue': script + template + style,
        'src/ui/word.ts': word,
      },
      { forDevelopment: true },
    )
    return { state, templates: [...(hot?.values() ?? [])].map((one) => one.template), hot }
  }

  test.for<[string, Partial<typeof page>, { isState: boolean; isTemplate: boolean }]>([
    ['is kept when nothing changes', {}, { isState: true, isTemplate: true }],
    [
      'is kept when the template changes',
      { template: '<template><b>{{ word }} {{ count }}</b></template>\n' },
      { isState: true, isTemplate: false },
    ],
    [
      'is kept when the style changes',
      { style: '<style scoped>.big { color: blue }</style>\n' },
      { isState: true, isTemplate: true },
    ],
    ['ends when the script changes', { script: page.script.replace('7', '8') }, { isState: false, isTemplate: true }],
    ['ends when another file changes', { word: "export const word = 'two'\n" }, { isState: false, isTemplate: true }],
  ])('%s', async ([, changed, expected]) => {
    const [before, after] = [await build(), await build(changed)]
    const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
    expect({
      isState: before.state === after.state,
      isTemplate: isSame(before.templates, after.templates),
    }).toEqual(expected)
    expect(before.state).toMatch(/^[0-9a-f]{64}$/)
  })

  test('is in a component whose template is apart', async () => {
    const { hot } = await build()
    const [{ component } = { component: {} }] = [...(hot?.values() ?? [])]
    const { render } = component as {
      readonly render?: (...given: readonly unknown[]) => { readonly children: string }
    }
    expect(render?.({}, [], {}, { word: 'one', count: 7 }).children).toBe('one 7')
  })
})

describe('in development, the source map names the line of', () => {
  const page = (setup: string, template: string) =>
    `<script setup lang="ts">\nimport { fail } from './fail.ts'\nconst given: { one?: { two: string } } = {}\n${setup}\n</script>\n\n<template>\n  <p>{{ ${template} }}</p>\n</template>\n`
  const rows: readonly (readonly [what: string, page: string, code: string, place: string])[] = [
    ['a setup', page('fail(given.one.two)', 'given'), 'two)', 'src/ui/a.vue:4:16'],
    ['a template', page('', 'given.one.two'), 'two)', 'src/ui/a.vue:8:19'],
    ['another file', page('fail()', 'given'), 'Error(', 'src/ui/fail.ts:2:13'],
  ]
  test.each(rows)('%s', async (_, text, code, place) => {
    const { text: bundled } = await load(
      {
        'src/ui/index.ts': "import A from './a.vue'\nexport default { '': A }",
        'src/ui/fail.ts': "export function fail(): never {\n  throw new Error('failed')\n}\n",
        'src/ui/a.vue': text,
      },
      { forDevelopment: true },
    )
    const [, encoded = ''] = /sourceMappingURL=data:application\/json;base64,(\S+)\n$/.exec(bundled) ?? []
    const map = new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMapPayload)
    const before = bundled.slice(0, bundled.indexOf(code)).split('\n')
    const found = map.findOrigin(before.length, (before.at(-1)?.length ?? 0) + 1)
    expect('fileName' in found && `${found.fileName}:${found.lineNumber}:${found.columnNumber}`).toBe(place)
  })
})

test('pages import models, routes and roles from files of the server, without their code', async () => {
  const { default: found } = await load({
    'src/ui/index.ts': "import { rows } from '../rows.ts'\nexport default rows\n",
    'src/rows.ts':
      "import { mine, stats, Todo, view } from './plugin.ts'\nexport const rows = { mine, stats, Todo, view }\n",
    'src/plugin.ts': `${readFileSync(example, 'utf8')}\nexport { view }\n`,
  })
  const { Todo, ...others } = found
  const todos = { version: 'v1alpha1', plural: 'todos', singular: 'todo', references: {} }
  expect(Todo).toEqual({ ...todos, group: 'todo.example.com', kind: 'Todo' })
  expect(others).toEqual({
    mine: { ...todos, group: 'uc.api.todo.example.com' },
    stats: { method: 'GET', path: '/apis/console.api.todo.example.com/v1alpha1/todos/-/stats' },
    view: { template: 'view', roleName: 'todo-view', uiPermissions: ['plugin:todo:view'] },
  })
})

describe('packing reports', () => {
  const index = { 'src/ui/index.ts': "import A from './a.vue'\nimport B from './b.vue'\nexport default { a: A, b: B }" }
  const empty = { ...index, 'src/ui/a.vue': '<template><p /></template>', 'src/ui/b.vue': '<template><p /></template>' }
  type Row = readonly [what: string, files: Readonly<Record<string, string>>, told: readonly (string | RegExp)[]]
  const rows: readonly Row[] = [
    [
      'an unresolved import',
      { 'src/ui/index.ts': "import 'nowhere'\nexport default {}" },
      [/^src\/ui\/index\.ts.* Could not resolve 'nowhere'/],
    ],
    [
      'every fault of every component, with its position',
      {
        ...index,
        'src/ui/a.vue': '<script setup lang="ts">\nconst a = = 1\n</script>\n',
        'src/ui/b.vue': '<template>\n  <p>{{ a + }}</p>\n</template>\n',
      },
      ['src/ui/a.vue:2:11 Unexpected token', 'src/ui/b.vue:2:9 Error parsing JavaScript expression: Unexpected token'],
    ],
    [
      'a missing end tag',
      { ...empty, 'src/ui/a.vue': '<template>\n  <p><b></p>\n</template>' },
      ['src/ui/a.vue:2:6 Element is missing end tag.'],
    ],
    [
      'an import of something that a file does not export',
      {
        ...empty,
        'src/ui/a.vue':
          "<script setup>\nimport { ref } from 'vue'\nimport { lost } from './c.ts'\nref(lost)\n</script>\n",
        'src/ui/c.ts': 'export const a = 1\n',
      },
      [/^src\/ui\/a\.vue:3:10 "lost" is not exported/],
    ],
    [
      'an import of code of the server',
      {
        ...empty,
        'src/ui/a.vue': "<script setup>\nimport { Todo, share } from '../plugin.ts'\nshare(Todo)\n</script>\n",
      },
      [/^src\/ui\/a\.vue:2:16 "share" of src\/plugin\.ts runs on the server; pages import from there models, /],
    ],
    [
      'an import of what browsers do not have',
      {
        ...empty,
        'src/ui/a.vue': "<script setup>\nimport { created } from '@pergola/plugin-sdk'\ncreated(1)\n</script>\n",
        'src/ui/b.vue': "<script setup>\nimport { join } from 'node:path'\njoin('a')\n</script>\n",
      },
      [
        'src/ui/a.vue:2:26 pages run in the browser, which has no @pergola/plugin-sdk; import only types of it',
        'src/ui/b.vue:2:23 pages run in the browser, which has no node:path; import only types of it',
      ],
    ],
    [
      'an import of something that the kit does not export',
      {
        ...empty,
        'src/ui/a.vue':
          "<script setup>\nimport {\n  Button as B,\n  DataTabel,\n  client,\n} from '@pergola/console'\nclient(B, DataTabel)\n</script>\n",
        'src/ui/b.vue':
          "<script setup>\nimport { FancyCarousel } from '@pergola/console'\nFancyCarousel()\n</script>\n",
      },
      [
        'src/ui/a.vue:4:3 "DataTabel" is not exported by "@pergola/console"; did you mean "DataTable"?',
        'src/ui/b.vue:2:10 "FancyCarousel" is not exported by "@pergola/console"',
      ],
    ],
    [
      'components that are not imported',
      {
        ...empty,
        'src/ui/a.vue':
          '<template>\n  <RouterLink to="/"><my-element /><a-b-c /></RouterLink>\n  <Drawer title="a" />\n  <object-form />\n</template>\n',
        'src/ui/b.vue': '<template>\n  <Buton><B /></Buton>\n</template>\n',
      },
      [
        "src/ui/a.vue:3:3 <Drawer> is neither an element nor an imported component; import { Drawer } from '@pergola/console'",
        "src/ui/a.vue:4:3 <object-form> is neither an element nor an imported component; import { ObjectForm } from '@pergola/console'",
        'src/ui/b.vue:2:3 <Buton> is neither an element nor an imported component; import it; did you mean "Button"?',
      ],
    ],
    [
      'styles that are not CSS',
      { ...empty, 'src/ui/a.vue': '<template>\n  <p />\n</template>\n<style lang="scss">\na {}\n</style>\n' },
      ['src/ui/a.vue:4 the style is in scss; write CSS'],
    ],
    [
      'a fault in a style',
      { ...empty, 'src/ui/a.vue': '<template>\n  <p />\n</template>\n<style scoped>\na { b: c\n</style>\n' },
      ['src/ui/a.vue:5:1 Unclosed block'],
    ],
    [
      'a script that is not setup',
      { ...empty, 'src/ui/a.vue': '<script>\nexport default {}\n</script>\n' },
      ['src/ui/a.vue:1 write <script setup>; other scripts are not compiled'],
    ],
  ]
  test.each(rows)('%s', async (_, files, told) => {
    expect(await faultsOf(files)).toEqual(
      told.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))),
    )
  })
})
