import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, relative, sep } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { rolldown, type OutputChunk, type Plugin, type RolldownLog } from 'rolldown'
import { at, AuthorFault } from './author-fault.ts'
import { entryModule, entrySource, firstModule, type Entry } from './entry-module.ts'
import { createNativeFault } from './native-code.ts'
import { createPackageOf, type PackageOf } from './package-of.ts'
import type { PluginProject } from './read-project.ts'

/** A plugin bundled into one file. */
export interface Bundle {
  readonly code: string
  readonly map: string
  /** Names of bundled third-party packages, sorted. */
  readonly inlined: readonly string[]
  /** The plugin's own source files, relative to its folder. */
  readonly sources: readonly string[]
}

export interface BundleOptions {
  /** Additional export conditions for resolving packages. */
  readonly conditions: readonly string[]
  /** Source names in the map: identical on every machine, or local paths for a debugger. */
  readonly sources: 'portable' | 'on this machine'
  /** Files of the server that pages import. */
  readonly shown: readonly string[]
}

export async function bundle(project: PluginProject, { conditions, sources, shown }: BundleOptions): Promise<Bundle> {
  const folder = realpathSync(project.folder)
  const entry = join(folder, project.entry)
  const packageOf = createPackageOf()
  const nameOf = (file: string) => sourceName(file, folder, packageOf)
  const unresolved: RolldownLog[] = []
  const nativeFault = createNativeFault(packageOf)
  const native: string[] = []
  const refuseNative = (file: string) => {
    const fault = file.includes('\0') ? undefined : nativeFault(file)
    if (fault !== undefined) native.push(at({ file: nameOf(file) }, fault))
  }
  try {
    await using build = await rolldown({
      input: entryModule,
      cwd: folder,
      platform: 'node',
      resolve: { conditionNames: [...conditions, 'node', 'import'] },
      plugins: [entryPlugin({ folder, plugin: project.entry, shown }), nativePlugin(refuseNative)],
      experimental: { attachDebugInfo: 'none' },
      onLog: (_, log) => {
        if (log.code === 'UNRESOLVED_IMPORT') unresolved.push(log)
      },
    })
    const { output } = await build.generate({
      format: 'esm',
      file: 'plugin.js',
      codeSplitting: false,
      sourcemap: true,
      sourcemapExcludeSources: sources !== 'portable',
    })
    const [chunk] = output
    for (const file of await build.watchFiles) if (!isCompiled(file)) refuseNative(file)
    if (native.length > 0) throw new AuthorFault(native)
    refuseImports(chunk, { unresolved, nameOf })
    return { ...bundleOf(chunk, folder, packageOf), map: mapOf(chunk, sourceNames({ folder, sources, nameOf })) }
  } catch (error) {
    throw native.length > 0 ? new AuthorFault(native) : authorFaultOf(error, { entry, nameOf })
  }
}

interface SourceNaming extends Pick<BundleOptions, 'sources'> {
  readonly folder: string
  readonly nameOf: NameOf
}

/** Replaces local paths, which differ between machines, by portable names; keeps them for a local debugger. */
function sourceNames({ folder, sources, nameOf }: SourceNaming): (source: string) => string {
  return (source) =>
    sources === 'portable' || source.includes('\0') ? nameOf(join(folder, source)) : join(folder, source)
}

/** Renames sources afterwards, because a callback from the bundler is slow. */
function mapOf({ map }: OutputChunk, nameOf: (source: string) => string): string {
  if (!map) throw new Error('a bundle has a map')
  const { version, file, names, sources, sourcesContent, mappings } = map
  return `${JSON.stringify({ version, file, names, sources: sources.map(nameOf), sourcesContent, mappings })}\n`
}

function bundleOf(chunk: OutputChunk, folder: string, packageOf: PackageOf): Omit<Bundle, 'map'> {
  const files = Object.keys(chunk.modules).filter((id) => !id.startsWith('\0'))
  const own = new Set(files.filter((file) => packageOf(file)?.folder === folder))
  const inlined = new Set(files.flatMap((file) => (own.has(file) ? [] : (packageOf(file)?.name ?? []))))
  return {
    code: chunk.code,
    inlined: [...inlined].toSorted(),
    sources: [...own].map((file) => relative(folder, file).replaceAll(sep, '/')).toSorted(),
  }
}

/** Filters by module name, because every callback from the bundler is slow. */
function entryPlugin(entry: Entry): Plugin {
  const filter = { id: new RegExp(`^\\0?(${entryModule}|${firstModule})$`) }
  return {
    name: 'pergola-entry',
    resolveId: { filter, handler: (id) => `\0${id}` },
    load: { filter, handler: (id) => entrySource(id.slice(1), entry) },
  }
}

const isCompiled = (file: string) => file.endsWith('.node')

/** Rejects native code before the bundler parses it as text. */
function nativePlugin(refuse: (file: string) => void): Plugin {
  return {
    name: 'pergola-native',
    load: {
      filter: { id: /\.node$/ },
      handler: (id) => {
        refuse(id)
        return 'export {}'
      },
    },
  }
}

/** `src/plugin.ts` for the plugin's own files, `<package>/<file>` for those of packages. */
function sourceName(file: string, folder: string, packageOf: PackageOf): string {
  if (file.includes('\0')) return file.slice(file.indexOf('\0') + 1)
  const found = packageOf(file)
  if (!found) return relative(folder, file).replaceAll(sep, '/')
  const path = relative(found.folder, file).replaceAll(sep, '/')
  return found.folder === folder ? path : `${found.name}/${path}`
}

/** Returns the display name of a file. */
type NameOf = (file: string) => string

/** Rejects imports outside the bundle other than Node.js modules, because a host installs nothing. */
function refuseImports(
  { imports, dynamicImports, fileName }: OutputChunk,
  { unresolved, nameOf }: { readonly unresolved: readonly RolldownLog[]; readonly nameOf: NameOf },
): void {
  // Dynamic imports are bundled into the same file.
  const outside = [...imports, ...dynamicImports].filter((name) => name !== fileName)
  const missing = outside.filter((name) => !isBuiltin(name))
  if (missing.length === 0) return
  throw new AuthorFault(
    missing.map((name) => {
      const log = unresolved.find(({ message }) => message.includes(`'${name}'`))
      const message = `"${name}" is not installed; npm install ${packageNameOf(name)}`
      return log ? at(placeOf(log, nameOf), message) : message
    }),
  )
}

function packageNameOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
}

function authorFaultOf(error: unknown, paths: { readonly entry: string; readonly nameOf: NameOf }): unknown {
  if (error instanceof AuthorFault || !(error instanceof Error)) return error
  const errors = 'errors' in error && Array.isArray(error.errors) ? (error.errors as readonly RolldownLog[]) : []
  if (errors.length === 0) return error
  return new AuthorFault([...new Set(errors.map((log) => logWords(log, paths)))])
}

function logWords(log: RolldownLog, { entry, nameOf }: { readonly entry: string; readonly nameOf: NameOf }): string {
  const text = stripVTControlCharacters(log.message)
  const tsconfig = tsconfigFault(text)
  if (tsconfig !== undefined) return at({ file: 'tsconfig.json' }, tsconfig)
  const [first = ''] = text.split('\n')
  const message = first.replace(/^\[\w+\] /, '')
  if (![entryModule, firstModule].some((id) => log.id === `\0${id}`)) return at(placeOf(log, nameOf), message)
  // The generated modules import only the plugin and the SDK.
  if (!message.includes('"default"')) {
    const advice = 'npm install @pergola/plugin-sdk@latest'
    return at({ file: 'package.json' }, `an SDK that runs plugins is not installed; ${advice}`)
  }
  const lines = existsSync(entry) ? readFileSync(entry, 'utf8').trimEnd().split('\n').length : 1
  const place = { file: nameOf(entry), line: lines, column: 1 }
  return at(place, 'there is no default export; end the file with "export default definePlugin({ ... })"')
}

/** With an unusable tsconfig.json the bundler resolves no import, and names the cause only below the source line. */
function tsconfigFault(text: string): string | undefined {
  const [, cause] = /╰─+ (.*tsconfig.*)/i.exec(text) ?? []
  if (cause === undefined) return undefined
  return cause === 'Tsconfig not found' ? 'the file named by "extends" is not there' : `cannot be used: ${cause}`
}

function placeOf({ id, loc }: RolldownLog, nameOf: NameOf): { file: string; line?: number; column?: number } {
  const file = loc?.file ?? id
  if (file === undefined) return { file: 'package.json' }
  return { file: nameOf(file), ...(loc && { line: loc.line, column: loc.column + 1 }) }
}
