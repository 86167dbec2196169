import type { Answer, Call, Handler } from '../base/call.ts'
import { taggedAnswer } from '../base/tagged-answer.ts'
import { fileType } from './file-types.ts'
import { consolePage, type ConsoleFiles } from './read-console.ts'

const html = 'text/html; charset=utf-8'
/** Their names change with what they hold. */
const forever = 'public, max-age=31536000, immutable'

/**
 * The console under `/console`: files by their names, and for every other path its one page, which knows what to show there.
 * Whoever asks for data from it is asked who it is like everybody else.
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
    // What looks like a file and is none: a page in its place would only be misread.
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

/** Nothing from elsewhere, nothing inline but the import map, and no other page around it. */
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
