import type { Answer, Call, Handler } from '../base/call.ts'
import { taggedAnswer } from '../base/tagged-answer.ts'
import { fileType } from './file-types.ts'
import { consolePage, type ConsoleFiles } from './read-console.ts'

const html = 'text/html; charset=utf-8'
/** File names contain a hash of their content. */
const forever = 'public, max-age=31536000, immutable'

/**
 * The console under `/console`: files by their names, and for every other path its single page, which knows what to show there.
 * Requests for data are authenticated like all others.
 */
export function createConsoleEndpoints(files: ConsoleFiles | undefined): (path: string) => Handler | undefined {
  const headers = files && pageHeaders(files)
  return (path) => {
    if (path !== '/console' && !path.startsWith('/console/')) return undefined
    if (!files || !headers) return notBuilt
    const file = path.slice('/console/'.length)
    if (file !== consolePage && files.has(file) && fileType(file) !== undefined) {
      return (call) => answerFile(files, file, call)
    }
    // A missing file must not be answered with the page, which would be misread.
    if (fileType(file) !== undefined) return undefined
    return (call) => answerPage(files, headers, call)
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

/** No external content, no inline scripts except the import map, no framing. */
function pageHeaders({ inlineScripts }: ConsoleFiles): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${inlineScripts.join(' ')}`.trim(),
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  }
}
