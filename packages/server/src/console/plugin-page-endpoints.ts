import type { PageDeclaration, PluginAbout } from '@pergola/api'
import type { Answer, Call, Handler } from '../call/call.ts'
import { taggedAnswer } from '../call/tagged-answer.ts'
import { fileType } from './file-types.ts'

/** A plugin that has console pages. */
export interface PagedPlugin extends Pick<PluginAbout, 'icon' | 'color'> {
  readonly name: string
  readonly displayName?: string
  readonly digest: string
  /** The entry file of its pages, by its path in the package. */
  readonly ui: string
  /** Absent if the package declares no pages; it then has one. */
  readonly pages?: readonly PageDeclaration[]
}

/** A plugin whose package contains a logo. */
export interface LogoPlugin {
  readonly name: string
  readonly digest: string
  /** Its path in the package. */
  readonly logo: string
}

export interface PluginPagesParts {
  /** The installed plugins that have a logo. */
  readonly logos: () => readonly LogoPlugin[]
  readonly logoOf: (plugin: LogoPlugin) => Promise<Buffer | undefined>
  /** The currently enabled plugins that have pages. */
  readonly paged: () => readonly PagedPlugin[]
  /** The files of a package below the folder of its pages. */
  readonly filesOf: (plugin: PagedPlugin) => Promise<ReadonlyMap<string, Buffer>>
}

const keptPackages = 8
const digits = 12

/**
 * Under `/plugins`, for signed-in users: which plugins have pages, and their files. File paths contain the package's digest, so
 * that no client mixes files of two versions after an upgrade.
 */
export function createPluginPageEndpoints(parts: PluginPagesParts): (path: string) => Handler | undefined {
  const kept = new Map<string, Promise<ReadonlyMap<string, Buffer>>>()
  const filesOf = async (plugin: PagedPlugin) => {
    const known = kept.get(plugin.digest)
    if (known) return known
    const read = parts.filesOf(plugin)
    kept.set(plugin.digest, read)
    read.catch(() => kept.delete(plugin.digest))
    const [oldest] = kept.keys()
    if (kept.size > keptPackages && oldest !== undefined) kept.delete(oldest)
    return read
  }
  return (path) => {
    if (path === '/plugins/pages.json') return async (call) => answerList(parts.paged(), call)
    const [, name, digest, file] = /^\/plugins\/([^/]+)\/([0-9a-f]+)\/(.+)$/.exec(path) ?? []
    const logo = parts.logos().find((one) => one.name === name && shortDigest(one) === digest && one.logo === file)
    if (logo) return async () => answerLogo(logo, await parts.logoOf(logo))
    const plugin = parts.paged().find((one) => one.name === name && shortDigest(one) === digest)
    if (!plugin || file === undefined || fileType(file) === undefined) return undefined
    return async () => answerFile(await filesOf(plugin), file)
  }
}

function answerList(paged: readonly PagedPlugin[], call: Call): Answer {
  const items = paged.map(({ name, displayName = name, digest, ui, pages, ...look }) => {
    const folder = `/plugins/${name}/${shortDigest({ digest })}`
    const module = `${folder}/${ui.slice(ui.indexOf('/') + 1)}`
    return { name, displayName, ...look, module, pages: pages ?? [{ path: '', title: displayName }] }
  })
  return taggedAnswer(call, 'application/json', JSON.stringify({ items }))
}

function answerFile(files: ReadonlyMap<string, Buffer>, file: string): Answer {
  const body = files.get(file)
  if (!body) {
    // Clients request the stylesheet without knowing whether the plugin has one.
    return { status: 404, contentType: 'text/plain; charset=utf-8', body: Buffer.from(`there is no ${file}\n`) }
  }
  return {
    status: 200,
    contentType: fileType(file) ?? '',
    headers: { 'cache-control': 'private, max-age=31536000, immutable' },
    body,
  }
}

/** An image opened as a document runs no scripts, SVG included. */
function answerLogo({ logo }: LogoPlugin, body: Buffer | undefined): Answer {
  const answer = answerFile(new Map(body && [[logo, body]]), logo)
  const policy = { 'content-security-policy': "default-src 'none'; sandbox" }
  return { ...answer, headers: { ...answer.headers, ...policy } }
}

function shortDigest({ digest }: Pick<PagedPlugin, 'digest'>): string {
  return digest.slice(digest.indexOf(':') + 1).slice(0, digits)
}
