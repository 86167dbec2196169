import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { rolldown, type OutputChunk, type Plugin, type RolldownLog } from 'rolldown'
import { at, AuthorFault, placeIn, type Place } from './author-fault.ts'
import { checkKitImports } from './check-kit-imports.ts'
import type { CompiledVue } from './compile-vue.ts'

/** Path of the bundled console pages in the package. */
export const firstPage = 'ui/index.js'

/** Modules that the console provides through its import map. */
const shared: readonly string[] = ['vue', 'vue-router', '@pergola/console']

/** What pages import from files of the server: plain values by file, relative to the plugin's folder, and by name. */
export type PageValues = Readonly<Record<string, Readonly<Record<string, object>>>>

export interface PageOptions {
  /** For development: the console can replace templates and styles, and keep the state of components. */
  readonly isHot?: boolean
}

/** The file that exports the pages of a plugin; undefined without pages. */
export function pagesEntry(folder: string): string | undefined {
  return ['src/ui/index.ts', 'src/ui/index.js'].find((file) => existsSync(join(folder, file)))
}

/** Bundles the console pages of a plugin, if any, into one module that includes its styles. */
export async function bundlePages(
  folder: string,
  values: PageValues,
  { isHot = false }: PageOptions = {},
): Promise<ReadonlyMap<string, Buffer>> {
  const entry = pagesEntry(folder)
  if (entry === undefined) return new Map()
  const pages = createPages(realpathSync(folder), { entry, values, isHot })
  return new Map([[firstPage, Buffer.from(await bundled(pages))]])
}

/** The pages of one build. */
interface Pages {
  readonly folder: string
  readonly entry: string
  readonly values: PageValues
  readonly isHot: boolean
  /** With `isHot`: the scripts of components, and other modules, by their paths. */
  readonly scripts: Map<string, string>
  /** Styles by the module that they belong to. */
  readonly styles: Map<string, string>
  /** Found while modules are loaded, all of them before the build fails. */
  readonly faults: string[]
  /** The name of a file for its author. */
  readonly nameOf: (path: string) => string
}

function createPages(folder: string, given: Pick<Pages, 'entry' | 'values' | 'isHot'>): Pages {
  const nameOf = (path: string) => relative(folder, path).replaceAll(sep, '/')
  return { ...given, folder, scripts: new Map(), styles: new Map(), faults: [], nameOf }
}

async function bundled(pages: Pages): Promise<string> {
  const { folder, entry, faults, isHot } = pages
  try {
    await using build = await rolldown({
      input: isHot ? hotEntry : join(folder, entry),
      cwd: folder,
      platform: 'browser',
      external: [...shared],
      moduleTypes: { '.svg': 'dataurl', '.png': 'dataurl', '.webp': 'dataurl' },
      transform: { jsx: { runtime: 'automatic', importSource: 'vue' } },
      plugins: [serverPlugin(pages), vuePlugin(pages), stylePlugin(pages), hotPlugin(pages)],
      experimental: { attachDebugInfo: 'none' },
      // Unresolved imports would only fail in the browser.
      onLog: (_, log) => {
        if (log.code === 'UNRESOLVED_IMPORT') faults.push(faultOf(log, pages))
      },
    })
    const sourcemap = isHot ? 'hidden' : false
    const { output } = await build.generate({
      format: 'esm',
      file: firstPage,
      codeSplitting: false,
      minify: true,
      sourcemap,
    })
    if (faults.length > 0) throw new AuthorFault(faults.toSorted())
    const [{ code, modules, map }] = output
    const paths = Object.keys(modules)
    faults.push(...checkKitImports({ folder, code, paths, nameOf: pages.nameOf }))
    if (faults.length > 0) throw new AuthorFault(faults)
    return `${code}${styleExport(paths, pages)}${isHot ? `${stateExport(pages)}${mapComment(map, pages)}` : ''}`
  } catch (error) {
    if (error instanceof AuthorFault) throw error
    throw new AuthorFault(faults.length > 0 ? faults.toSorted() : faultsOf(error as Error, pages))
  }
}

function faultsOf(error: Error, pages: Pages): readonly string[] {
  const { errors = [] } = error as { readonly errors?: readonly RolldownLog[] }
  const logs = errors.length > 0 ? errors : [error as RolldownLog]
  return [...new Set(logs.map((log) => faultOf(log, pages)))]
}

/** Keeps the message and drops the code frame of the bundler. */
function faultOf({ message, id, loc }: RolldownLog, { folder, entry, values, nameOf }: Pages): string {
  const plain = stripVTControlCharacters(message)
  const told = /\[[A-Z_]+\] (.*)/.exec(plain)?.[1] ?? plain
  const [, name = '', from = ''] = /"(\w+)" is not exported by "([^"]+)"/.exec(told) ?? []
  const words = from in values ? notForPages(name, from) : told
  const file = (loc?.file ?? id ?? join(folder, entry)).replace(/\?template$/, '')
  const [, word] = /['"]([^'"]+)['"]/.exec(words) ?? []
  return at({ ...(file.endsWith('.vue') ? placeOfWord(file, word) : placeOfLoc(loc)), file: nameOf(file) }, words)
}

function notForPages(name: string, file: string): string {
  const kinds = 'models, owned objects, role templates, and routes that definePlugin names'
  return `"${name}" of ${file} runs on the server; pages import from there ${kinds}; move what both need into a file without @pergola/plugin-sdk`
}

function placeOfLoc(loc: RolldownLog['loc']): { readonly line?: number; readonly column?: number } {
  return loc ? { line: loc.line, column: loc.column + 1 } : {}
}

/** The bundler knows positions in the compiled component; the author knows the file. */
function placeOfWord(file: string, word: string | undefined): Partial<Place> {
  const text = readFileSync(file, 'utf8')
  const index = word === undefined ? -1 : text.indexOf(word)
  return index < 0 ? {} : placeIn(file, text, index)
}

/** Replaces files of the server by the values that pages may have, and rejects all other code of the server. */
function serverPlugin({ folder, values, faults, nameOf }: Pages): Plugin {
  const files = new Map(Object.keys(values).map((file) => [join(folder, file), values[file] ?? {}]))
  return {
    name: 'pergola-server',
    resolveId: {
      filter: { id: /^(node:|@pergola\/plugin-sdk(\/|$))/ },
      handler: (id, importer = '') => {
        const place = { ...placeOfWord(importer, id), file: nameOf(importer) }
        faults.push(at(place, `pages run in the browser, which has no ${id}; import only types of it`))
        return { id, external: true }
      },
    },
    load: {
      filter: { id: /\.[cm]?[jt]sx?$/ },
      handler: (path) => {
        const exported = files.get(path)
        if (!exported) return undefined
        const lines = Object.entries(exported).map(
          ([name, value]) => `export const ${name} = ${JSON.stringify(value)}\n`,
        )
        return { code: lines.join(''), moduleType: 'js' }
      },
    },
  }
}

function vuePlugin({ styles, scripts, faults, isHot, nameOf }: Pages): Plugin {
  const templates = new Map<string, NonNullable<CompiledVue['template']>>()
  return {
    name: 'pergola-vue',
    resolveId: { filter: { id: /\.vue\?template$/ }, handler: (id) => id },
    load: {
      filter: { id: /\.vue(\?template)?$/ },
      handler: async (path) => {
        const template = templates.get(path)
        if (template) return { ...template, moduleType: 'ts' }
        // Loaded on demand: the compiler takes longer to load than a small plugin to build.
        const { compileVue } = await import('./compile-vue.ts')
        const compiled = await compileVue({ path, file: nameOf(path), text: readFileSync(path, 'utf8'), isHot })
        if ('faults' in compiled) {
          faults.push(...compiled.faults)
          return 'export default {}'
        }
        styles.set(path, compiled.style)
        if (compiled.script !== undefined) scripts.set(path, compiled.script)
        if (compiled.template) templates.set(`${path}?template`, compiled.template)
        return compiled
      },
    },
  }
}

function stylePlugin({ styles }: Pages): Plugin {
  return {
    name: 'pergola-style',
    load: {
      filter: { id: /\.css$/ },
      handler: (path) => {
        styles.set(path, readFileSync(path, 'utf8'))
        return { code: 'export {}', moduleType: 'js', moduleSideEffects: 'no-treeshake' }
      },
    },
  }
}

const hotEntry = 'pergola:entry'

/** Exports the registered components of the bundle besides its pages, and notes what their state depends on. */
function hotPlugin({ folder, entry, scripts }: Pages): Plugin {
  const from = JSON.stringify(join(folder, entry))
  const codes = new Map([
    [hotEntry, `export { default } from ${from}\nexport { hot } from 'pergola:hot'\n`],
    ['pergola:hot', 'export const hot = new Map()\n'],
  ])
  return {
    name: 'pergola-hot',
    resolveId: { filter: { id: /^pergola:/ }, handler: (id) => (codes.has(id) ? id : undefined) },
    load: {
      filter: { id: /^pergola:/ },
      handler: (id) => {
        const code = codes.get(id)
        return code === undefined ? undefined : { code, moduleType: 'js' }
      },
    },
    transform: {
      filter: { id: { exclude: [/^pergola:/, /\.(vue(\?template)?|css)$/] } },
      handler: (code, path) => void scripts.set(path, code),
    },
  }
}

/** A hash of everything except templates and styles: as long as it is the same, components can keep their state. */
function stateExport({ scripts, values, nameOf }: Pages): string {
  const hash = createHash('sha256').update(JSON.stringify(values))
  const texts = [...scripts].map(([path, text]) => `${nameOf(path)}\0${text}\0`)
  for (const text of texts.toSorted()) hash.update(text)
  return `const pergola$state=${JSON.stringify(hash.digest('hex'))};export{pergola$state as state};\n`
}

/** Lets the console and the browser's tools name the author's files and lines. */
function mapComment(map: OutputChunk['map'], { folder, nameOf }: Pages): string {
  if (!map) throw new Error('a bundle for development has a map')
  const { version, names, sourcesContent, mappings } = map
  const sources = map.sources.map((source) => nameOf(join(folder, dirname(firstPage), source)))
  const text = JSON.stringify({ version, names, sources, sourcesContent, mappings })
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(text).toString('base64')}\n`
}

/** The console scopes the styles to the pages of the plugin. */
function styleExport(modules: readonly string[], { folder, styles }: Pages): string {
  const first = join(folder, 'src/ui/style.css')
  if (existsSync(first)) styles.set(first, readFileSync(first, 'utf8'))
  const order = [first, ...modules.filter((path) => path !== first)]
  const text = order.flatMap((path) => styles.get(path) ?? []).join('\n')
  // A name that the bundler never gives.
  return `\nconst pergola$style=${JSON.stringify(text)};export{pergola$style as style};\n`
}
