import type { Answer, Call, Handler } from '../call/call.ts'
import { pageHeaders } from '../call/page-headers.ts'
import { taggedAnswer } from '../call/tagged-answer.ts'
import { fileType } from './file-types.ts'
import { consolePage, type ConsoleFiles } from './read-console.ts'

const html = 'text/html; charset=utf-8'
/** File names contain a hash of their content. */
const forever = 'public, max-age=31536000, immutable'

/**
 * Where scripts of the console and of plugins' pages are served. A policy can only name a path together with a host; without a
 * scheme, that of the page applies, so a TLS proxy does not matter.
 */
const scriptFolders = ['/console/', '/plugins/']

export interface ConsoleParts {
  readonly files: ConsoleFiles | undefined
  /** The configured public URL; users may use other addresses, which the `Host` header names. */
  readonly publicUrl: string | undefined
}

/**
 * Serves the console under `/console`: files by name, and for every other path its single page, which routes by itself.
 * Requests for data are authenticated like all others.
 */
export function createConsoleEndpoints(parts: ConsoleParts): (path: string) => Handler | undefined {
  const { files } = parts
  return (path) => {
    if (path !== '/console' && !path.startsWith('/console/')) return undefined
    if (!files) return notBuilt
    const file = path.slice('/console/'.length)
    if (file !== consolePage && files.has(file) && fileType(file) !== undefined) {
      return (call) => answerFile(files, file, call)
    }
    // A missing file must not be answered with the page, because a browser would parse it as a script or style.
    if (fileType(file) !== undefined) return undefined
    return (call) => answerPage(files, headersAt(call.request.headers.host, parts), call)
  }
}

async function notBuilt(call: Call): Promise<Answer> {
  return taggedAnswer(call, 'text/plain; charset=utf-8', 'The console was not built with this host: npm run build\n')
}

async function answerPage(files: ConsoleFiles, headers: Readonly<Record<string, string>>, call: Call): Promise<Answer> {
  const answer = taggedAnswer(call, html, (await files.read(consolePage)).toString('utf8'))
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

async function answerFile(files: ConsoleFiles, file: string, { request }: Call): Promise<Answer> {
  const packed = `${file}.gz`
  const takesPacked = files.has(packed) && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  return {
    status: 200,
    contentType: fileType(file) ?? '',
    headers: {
      'cache-control': file.startsWith('assets/') ? forever : 'public, max-age=3600',
      vary: 'accept-encoding',
      ...(takesPacked && { 'content-encoding': 'gzip' }),
    },
    body: await files.read(takesPacked ? packed : file),
  }
}

/** No external content, no inline scripts except the import map, and no scripts from plugin responses at `/apis`. */
function headersAt(host: string | undefined, { files, publicUrl }: ConsoleParts): Readonly<Record<string, string>> {
  const hosts = [...(publicUrl === undefined ? [] : [new URL(publicUrl).host]), host ?? '']
  const scripts = [...new Set(hosts)].flatMap((one) =>
    isNameable(one) ? scriptFolders.map((at) => one + at) : ["'self'"],
  )
  return pageHeaders(
    `script-src ${[...scripts, ...(files?.inlineScripts ?? [])].join(' ')}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
  )
}

/** Whether a policy can name the host: browsers match host names, and of IP addresses only this one. */
function isNameable(host: string): boolean {
  return /^(?!\d+(\.\d+){3}(:|$))[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$|^127\.0\.0\.1(:\d{1,5})?$/i.test(host)
}
