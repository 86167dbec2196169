import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packedFiles, packedProject } from '../end-to-end/packed-source.ts'

const about = (name: string, version: string) =>
  JSON.stringify({ name, version, license: 'Apache-2.0', type: 'module', description: `The plugin ${name}.` })

const example = join(import.meta.dirname, '../../examples/todo')
export const todo = (): Promise<Buffer> => packedProject('examples/todo')

/** The next version of the same plugin with another page title, or a copy under another name. */
export async function nextTodo({ name = 'todo' } = {}): Promise<Buffer> {
  const read = (path: string) => readFileSync(join(example, path), 'utf8')
  const project = JSON.parse(read('package.json')) as object
  return packedFiles(
    {
      'package.json': JSON.stringify({ ...project, version: '1.1.0' }),
      'src/ui/open.vue': read('src/ui/open.vue').replace('title="Open todos"', 'title="Todos to do"'),
      'src/plugin.ts': read('src/plugin.ts')
        .replace("name: 'todo'", `name: '${name}'`)
        .replaceAll("title: 'Open todos'", "title: 'Todos to do'")
        .replaceAll('todo.example.com', `${name}.example.com`),
    },
    'examples/todo',
  )
}

/** A plugin whose second version computes index values slowly. */
export async function slowIndex(version: '1.0.0' | '1.1.0'): Promise<Buffer> {
  const indexes =
    version === '1.0.0'
      ? ''
      : `indexes: [{ name: 'slow', multi: ({ spec }) => { const until = performance.now() + 1; while (performance.now() < until); return [spec.text] } }],`
  return packedFiles({
    'package.json': about('library', version),
    'src/plugin.ts': `
      import { defineModel, definePlugin, t } from '@pergola/plugin-sdk'
      const Book = defineModel({ apiVersion: 'library.example.com/v1', kind: 'Book', plural: 'books', spec: t.Object({ text: t.String() }), ${indexes} })
      export default definePlugin({ name: 'library', displayName: 'Library', models: [Book] })`,
  })
}

/** A plugin whose process exits right after the start. */
export async function failing(): Promise<Buffer> {
  return packedFiles({
    'package.json': about('failing', '1.0.0'),
    'src/plugin.ts': `
      import { definePlugin } from '@pergola/plugin-sdk'
      if (process.env['PERGOLA_PROTOCOL']) { console.log('about to fail'); setTimeout(() => { throw new Error('it fails on purpose') }, 300) }
      export default definePlugin({ name: 'failing', displayName: 'Failing', models: [] })`,
  })
}

/** A plugin with schedules that are never due; one of them fails. */
export async function scheduled(): Promise<Buffer> {
  return packedFiles({
    'package.json': about('nightly', '1.0.0'),
    'src/plugin.ts': `
      import { definePlugin, schedule } from '@pergola/plugin-sdk'
      const tidy = schedule({ cron: '0 0 1 1 *' }, async () => {})
      const shelves = schedule({ cron: '0 0 1 1 *' }, async () => {
        console.log('tidied three shelves')
        console.warn('warning: one shelf is full')
        console.error(new Error('a shelf broke'))
      })
      const mail = schedule({ cron: '0 0 1 1 *' }, async () => { throw new Error('no mail server') })
      export default definePlugin({ name: 'nightly', displayName: 'Nightly', models: [], schedules: { tidy, mail, shelves } })`,
  })
}

/** A plugin with hostile pages. */
export async function hostilePages(): Promise<Buffer> {
  return packedFiles({
    'package.json': about('hostile', '1.0.0'),
    'src/plugin.ts': `
      import { definePlugin } from '@pergola/plugin-sdk'
      export default definePlugin({ name: 'hostile', displayName: 'Hostile', models: [], pages: [
        { path: '', title: 'Throws' },
        { path: 'later', title: 'Throws later' },
        { path: 'patches', title: 'Replaces' },
        { path: 'reaches', title: 'Reaches out' },
        { path: 'never', title: 'Never comes' },
        { path: 'elsewhere', title: 'From elsewhere' },
      ] })`,
    'src/ui/index.ts': readFileSync(join(import.meta.dirname, 'plugins/hostile-pages.ts'), 'utf8'),
    'src/ui/style.css': 'main { display: none } } header { display: none } body { background: red !important }',
  })
}

/** A plugin whose console module fails to load. */
export async function brokenPages(): Promise<Buffer> {
  return packedFiles({
    'package.json': about('broken', '1.0.0'),
    'src/plugin.ts': `
      import { definePlugin } from '@pergola/plugin-sdk'
      export default definePlugin({ name: 'broken', displayName: 'Broken', models: [], pages: [{ path: '', title: 'Broken' }] })`,
    'src/ui/index.ts': `if (document.title) throw new Error('this module fails while it loads')\nexport default {}`,
  })
}

const purchases = readFileSync(join(import.meta.dirname, 'plugins/purchases.ts'), 'utf8')

/** A plugin with a field of every schema type. */
export async function purchasing(version = '1.4.2', source = purchases): Promise<Buffer> {
  return packedFiles({
    'package.json': JSON.stringify({
      ...(JSON.parse(about('purchasing', version)) as object),
      author: 'Harbour Tools',
      description: 'Ask for things, approve them, see the money.',
    }),
    'src/plugin.ts': source,
  })
}

/** The next version: a new field and filter, another default, one filter less. */
export async function nextPurchasing(): Promise<Buffer> {
  const next = purchases
    .replace('tags: t.Optional', 'budget: t.Optional(t.String({ maxLength: 80 })),\n    tags: t.Optional')
    .replace("'spec.recurring',", "'spec.budget',")
    .replace("unit: 'h' } }), 24)", "unit: 'h' } }), 12)")
  return purchasing('1.5.0', next)
}
