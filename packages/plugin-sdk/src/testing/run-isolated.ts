import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { PluginStart } from './embedded-server.ts'

const lookMs = 10
/** Grace period after SIGTERM. */
const stopMs = 5_000
/** Lines of output shown in an error. */
const shownLines = 15

/** Exits when the test process ends for any reason. */
const script = `
process.on('disconnect', () => process.exit(1))
process.channel.unref()
const [, file, sdk] = process.argv
const { default: plugin } = await import(file)
const { run } = await import(sdk)
await run(plugin)
`

/** Runs the plugin of an entry file as a separate process until disposed. */
export async function runIsolated(file: string, { log, listen, ...start }: PluginStart): Promise<AsyncDisposable> {
  // When run from sources, the SDK needs this condition to resolve its other packages.
  const extension = extname(import.meta.url)
  const conditions = extension === '.ts' ? ['--conditions=@pergola/source'] : []
  const sdk = new URL(`../run/index${extension}`, import.meta.url).href
  const args = [...conditions, '--enable-source-maps', '--input-type=module', '--eval', script]
  const child = spawn(process.execPath, [...args, pathToFileURL(file).href, sdk], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', TZ: 'UTC', PERGOLA_PROTOCOL: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'ipc'],
  })
  const exited = once(child, 'close')
  const lines = follow(child, log)
  const document = child.stdio[3] as NodeJS.WritableStream
  document.on('error', () => {})
  document.end(JSON.stringify({ ...start, listen }))
  while (!existsSync(listen)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      const how = child.exitCode ?? child.signalCode
      throw new Error([`its process ended with ${how}:`, ...lines.slice(-shownLines)].join('\n'))
    }
    await Promise.race([exited, sleep(lookMs)])
  }
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
      await exited
      clearTimeout(timer)
    },
  }
}

/** Entry file of the plugin: the given one, or the one that `package.json` names. */
export function isolatedFile(isolate: true | string, folder: string): string {
  if (isolate !== true) return resolve(folder, isolate)
  const { pergola = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageJson
  return resolve(folder, pergola.entry ?? 'src/plugin.ts')
}

interface PackageJson {
  readonly pergola?: { readonly entry?: string }
}

function follow({ stdout, stderr }: ChildProcess, log: (line: string) => void): readonly string[] {
  const lines: string[] = []
  for (const stream of [stdout, stderr]) {
    let open = ''
    stream?.setEncoding('utf8')
    stream?.on('data', (chunk: string) => {
      const [last = '', ...whole] = `${open}${chunk}`.split('\n').toReversed()
      open = last
      for (const line of whole.toReversed()) {
        lines.push(line)
        log(line)
      }
    })
  }
  return lines
}
