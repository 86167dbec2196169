import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  defaultMemoryLimit,
  packageContents,
  type PackageContents,
  type PluginDefinition,
  type PluginManifest,
  type RoleDeclaration,
} from '@pergola/api'
import { stringify } from 'yaml'
import { archive } from './archive.ts'
import { at, AuthorFault } from './author-fault.ts'
import { bundle, type Bundle } from './bundle.ts'
import { bundlePages, firstPage } from './bundle-pages.ts'
import { checkExtensions } from './check-extensions.ts'
import { checkPagePaths } from './check-page-paths.ts'
import { inspectBundle, type Inspected, type Reader } from './inspect-bundle.ts'
import { locateDecorator, locateFault, locateThrown, type Source } from './locate-fault.ts'
import { readExtensions } from './read-extensions.ts'
import { readProject, type PluginProject } from './read-project.ts'
import { serverFilesOf } from './server-files.ts'

const rolesFile = 'extensions/roles.yaml'
/** Limits that a host enforces. */
const mostManifestBytes = 4 * 1024 * 1024
const mostLogoBytes = 256 * 1024
const mebibyte = 1024 * 1024
/** What a plugin takes before its first request, in MiB. */
const idleMemory = 80
/** Parsing a body takes about this many times its size. */
const bodyFactor = 3
/** Hash digits, enough to distinguish builds. */
const developmentDigits = 12
/** The bundler does not compile standard decorators. */
const decoratorAdvice =
  'Node.js reads no decorators; set "experimentalDecorators": true in compilerOptions of tsconfig.json, and they are compiled'

export interface BuildOptions {
  /** The folder of the plugin. */
  readonly folder: string
  /** Additional export conditions for resolving packages. */
  readonly conditions?: readonly string[]
  /** The plugin ships with the host and may use reserved groups. */
  readonly comesWithHost?: boolean
  /** Builds for this machine only: see `developmentVersion`. The source map contains local paths. */
  readonly forDevelopment?: boolean
  /** Process started in advance to read the definition. */
  readonly reader?: Reader | undefined
  /** Cancels the build. */
  readonly signal?: AbortSignal
}

/** A built package with its metadata. */
export interface BuiltPackage {
  readonly manifest: PluginManifest
  /** Contents for describing the package to operators. */
  readonly contents: PackageContents
  /** Warnings that the plugin printed while it was loaded; empty without any. */
  readonly warnings: string
  /** Names of bundled third-party packages. */
  readonly inlined: readonly string[]
  /** Size of the code in bytes. */
  readonly codeSize: number
  /** Files of the package by path. */
  readonly files: ReadonlyMap<string, Buffer>
  readonly bytes: Buffer
  /** Digest of the archive: `sha256:...`. */
  readonly digest: string
}

/** Builds a package of a plugin in memory. The same code always gives the same bytes. */
export async function buildPackage(options: BuildOptions): Promise<BuiltPackage> {
  const { folder, conditions = [], comesWithHost = false, forDevelopment = false, reader, signal } = options
  const project = readProject(folder)
  const sources = forDevelopment ? 'on this machine' : 'portable'
  const built = await bundle(project, { conditions, sources, shown: serverFilesOf(folder) })
  // Inspects twice for a release: a host would reject a definition that is not deterministic, so fail early.
  const asked = { comesWithHost, times: forDevelopment ? 1 : 2, reader, ...(signal && { signal }) }
  const { inspected, warnings } = await inspectBundle(built, asked)
  const { definition, values = {} } = definitionOf(await withHostFaults(inspected), built, project)
  const extensions = readExtensions(folder)
  const roles = checkExtensions(extensions, definition)
  const files = new Map<string, Buffer>([
    ['plugin.js', Buffer.from(built.code)],
    ['plugin.js.map', Buffer.from(built.map)],
    ...extensions.map(({ path, bytes }) => [path, bytes] as const),
  ])
  const pages = await bundlePages(folder, values, { isHot: forDevelopment })
  checkPagePaths(folder, definition)
  for (const [path, bytes] of pages) files.set(path, bytes)
  if (definition.roles.length > 0) addRoles(files, definition.roles)
  const { version } = project
  const shown = forDevelopment ? { ...project, version: developmentVersion(version, files) } : project
  const manifest = { ...manifestOf(shown, definition), ...(pages.size > 0 && { ui: firstPage }) }
  files.set('plugin.json', Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`))
  if (project.logo !== undefined) files.set(manifest.logo ?? '', logoBytes(project))
  refuseTooLarge(files)
  const bytes = archive(files, forDevelopment ? 'quickest' : 'smallest')
  return {
    manifest,
    contents: packageContents(manifest, roles),
    warnings: [warnings, ...largeBodies(definition)].filter((line) => line !== '').join('\n'),
    inlined: built.inlined,
    codeSize: Buffer.byteLength(built.code),
    files,
    bytes,
    digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
  }
}

/**
 * `1.0.0+dev.3f2a91c04b7d`: the build metadata changes exactly when the code does, and version ranges treat it like the
 * release.
 */
function developmentVersion(version: string, files: ReadonlyMap<string, Buffer>): string {
  const hash = createHash('sha256')
  for (const [path, bytes] of [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  }
  return `${version}${version.includes('+') ? '.' : '+'}dev.${hash.digest('hex').slice(0, developmentDigits)}`
}

/** Warns of bodies that do not fit into the memory that the plugin has. */
function largeBodies({ routes, needs }: PluginDefinition): readonly string[] {
  const memory = Math.max(defaultMemoryLimit, needs?.memory ?? 0)
  const mostBodyBytes = ((memory - idleMemory) / bodyFactor) * mebibyte
  return routes
    .filter(({ maxBody = 0 }) => maxBody > mostBodyBytes)
    .map(({ method, path, maxBody = 0 }) => {
      const size = `${method} ${path} takes bodies of up to ${Math.round(maxBody / mebibyte)} MiB`
      const limit = `a host ends this plugin when it uses more than ${memory} MiB`
      return `warning: ${size}, and ${limit}; read the body as a stream, or ask for more with needs: { memory }`
    })
}

/** Adds faults that only a host can find, such as unknown formats. */
async function withHostFaults(inspected: Inspected): Promise<Inspected> {
  if (!('definition' in inspected)) return inspected
  const { declaredFaults } = await import('@pergola/server')
  const faults = inspected.definition.models.flatMap((model) =>
    declaredFaults(model).map(({ field, message }) => ({
      where: `models.${model.kind}`,
      message: `${field.replace(/^spec\./, '')} ${message}`,
    })),
  )
  return faults.length > 0 ? { faults } : inspected
}

function definitionOf(
  inspected: Inspected,
  built: Bundle,
  { folder, entry }: PluginProject,
): Extract<Inspected, { readonly definition: PluginDefinition }> {
  if ('definition' in inspected) return inspected
  const sources: readonly Source[] = built.sources.map((file) => ({
    file,
    text: readFileSync(join(folder, file), 'utf8'),
  }))
  if ('faults' in inspected) {
    const lines = inspected.faults.map(({ where, message }) =>
      at(locateFault(where, sources, entry), `${where}: ${message}`),
    )
    throw new AuthorFault(lines)
  }
  if ('problem' in inspected) throw new AuthorFault([at(locateFault('', sources, entry), inspected.problem)])
  const { message, stack } = inspected.thrown
  const decorator = stack.startsWith('SyntaxError') ? locateDecorator(sources) : undefined
  if (decorator) throw new AuthorFault([at(decorator, decoratorAdvice)])
  throw new AuthorFault([at(locateThrown(stack, sources) ?? { file: entry }, message)])
}

function manifestOf(project: PluginProject, definition: PluginDefinition): PluginManifest {
  const { name, displayName, dependencies, groups, permissions, protocol } = definition
  const { version, author, homepage, license, logo } = project
  const { icon = project.icon, color = project.color } = definition
  const description = definition.description ?? project.description
  const requires = definition.requires ?? project.requires
  if (definition.requires !== undefined && project.requires !== undefined && definition.requires !== project.requires) {
    const said = `definePlugin says requires "${definition.requires}", and package.json "${project.requires}"`
    throw new AuthorFault([at({ file: 'package.json' }, `${said}; say it once`)])
  }
  return {
    name,
    version,
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
    ...(author !== undefined && { author }),
    ...(homepage !== undefined && { homepage }),
    ...(license !== undefined && { license }),
    ...(logo !== undefined && { logo: basename(logo) }),
    ...(icon !== undefined && { icon }),
    ...(color !== undefined && { color }),
    ...(requires !== undefined && { requires }),
    ...(dependencies && { dependencies }),
    groups,
    permissions,
    protocol,
    definition,
  }
}

function addRoles(files: Map<string, Buffer>, roles: readonly RoleDeclaration[]): void {
  if (files.has(rolesFile)) {
    throw new AuthorFault([at({ file: rolesFile }, 'is generated from the roles of the plugin; rename your file')])
  }
  const documents = roles.map((role) => stringify(role, { lineWidth: 0 }))
  files.set(rolesFile, Buffer.from(`# Written from the roles of the plugin.\n${documents.join('---\n')}`))
}

function logoBytes({ folder, logo = '' }: PluginProject): Buffer {
  const bytes = readFileSync(join(folder, logo))
  if (bytes.length <= mostLogoBytes) return bytes
  throw new AuthorFault([at({ file: logo }, `has ${bytes.length} bytes; a logo has at most ${mostLogoBytes}`)])
}

function refuseTooLarge(files: ReadonlyMap<string, Buffer>): void {
  const { length = 0 } = files.get('plugin.json') ?? {}
  if (length > mostManifestBytes) {
    throw new AuthorFault([
      `the definition has ${length} bytes; at most ${mostManifestBytes} are allowed, so make schemas smaller`,
    ])
  }
}
