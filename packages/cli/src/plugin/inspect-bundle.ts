import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { PluginDefinition } from '@pergola/api'
import type { PageValues } from './bundle-pages.ts'
import type { Bundle } from './bundle.ts'

/** The definition, or why it could not be read. */
export type Inspected =
  | { readonly definition: PluginDefinition; readonly values?: PageValues }
  | { readonly faults: readonly { readonly where: string; readonly message: string }[] }
  | { readonly thrown: { readonly message: string; readonly stack: string } }
  | { readonly problem: string }

export interface Inspection {
  readonly inspected: Inspected
  /** Warnings printed during inspection; on a host they go to the plugin's log. */
  readonly warnings: string
}

/** Timeout: loading a plugin must not start any work. */
const limitMs = 10_000
/** Characters of the plugin's output shown in an error. */
const shownCharacters = 2_000

const script = `
import { closeSync, readFileSync, writeSync } from 'node:fs'
const answer = (value) => {
  const bytes = Buffer.from(JSON.stringify(value))
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(3, bytes, sent)
  closeSync(3)
  process.exit(0)
}
try {
  const { folder, url, options } = JSON.parse(readFileSync(0, 'utf8'))
  process.chdir(folder)
  const { default: plugin, inspect, forPages } = await import(url)
  const isPlugin = typeof plugin === 'object' && plugin !== null && typeof plugin.name === 'string'
  answer(isPlugin ? { definition: inspect(plugin, options), values: forPages?.() } : { problem: 'the default export is not a plugin; write "export default definePlugin({ ... })"' })
} catch (error) {
  if (error?.name === 'DefinitionError') answer({ faults: error.faults })
  answer({ thrown: { message: String(error?.message ?? error), stack: String(error?.stack ?? '') } })
}
`

/** A fresh process that waits for a bundle to inspect. */
export interface Reader {
  readonly child: ChildProcess
  /** Rejects if the process is cancelled, also before a bundle is sent. */
  readonly closed: Promise<unknown>
}

/** Starts a process in advance, to hide its startup time. */
export function beginReader(signal?: AbortSignal): Reader {
  const args = ['--enable-source-maps', '--input-type=module', '--eval', script]
  const child = spawn(process.execPath, args, {
    cwd: tmpdir(),
    env: {},
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  })
  const closed = once(child, 'close')
  // A waiting process ends with this one; its errors matter only to a caller of `inspect`.
  closed.catch(() => {})
  child.on('error', () => {})
  child.stdin?.on('error', () => {})
  return { child, closed }
}

export interface InspectOptions {
  /** Passed to `inspect` of the SDK. */
  readonly comesWithHost: boolean
  /** Number of inspections; all results must be equal. */
  readonly times: number
  /** Process started in advance, for the first inspection. */
  readonly reader?: Reader | undefined
  /** Cancels the inspection. */
  readonly signal?: AbortSignal
}

/** Reads the definition from the bundle in a separate process. */
export async function inspectBundle({ code, map }: Bundle, options: InspectOptions): Promise<Inspection> {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-pack-'))
  try {
    writeFileSync(join(folder, 'plugin.js'), code)
    writeFileSync(join(folder, 'plugin.js.map'), map)
    const readers = Array.from({ length: options.times }, (_, at) =>
      at === 0 && options.reader ? options.reader : beginReader(options.signal),
    )
    const answers = await Promise.all(readers.map((reader) => ask(reader, folder, options)))
    const [first] = answers
    if (!first) throw new Error('a bundle must be inspected at least once')
    if (new Set(answers.map(({ inspected }) => JSON.stringify(inspected))).size === 1) return first
    const problem =
      'the definition is not deterministic; it must not depend on time, randomness or the machine, or a host could not tell that it is the same'
    return { ...first, inspected: { problem } }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function ask({ child, closed }: Reader, folder: string, { comesWithHost }: InspectOptions): Promise<Inspection> {
  const url = pathToFileURL(join(folder, 'plugin.js')).href
  child.stdin?.end(JSON.stringify({ folder, url, options: { comesWithHost } }))
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
  try {
    const [answer, stdout, stderr] = await Promise.all([
      text(child.stdio[3] as Readable),
      text(child.stdout as Readable),
      text(child.stderr as Readable),
      closed,
    ])
    const warnings = stderr.trim().slice(0, shownCharacters)
    if (answer !== '') return { inspected: JSON.parse(answer) as Inspected, warnings }
    const why =
      child.signalCode === 'SIGKILL'
        ? `loading the plugin took more than ${limitMs / 1_000} s; it may only define, and nothing may run before a host asks for it`
        : `loading the plugin ended the process with ${child.exitCode ?? child.signalCode}; nothing may run before a host asks for it`
    const printed = (stdout + stderr).trim().slice(0, shownCharacters)
    return { inspected: { problem: printed === '' ? why : `${why}\n${printed.replaceAll(/^/gm, '  ')}` }, warnings }
  } finally {
    clearTimeout(timer)
  }
}
