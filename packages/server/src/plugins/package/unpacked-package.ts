import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Account } from '../process/accounts.ts'
import type { PluginPackage } from './read-package.ts'

/** A package on disk while it runs. */
export interface UnpackedPackage extends Disposable {
  readonly command: readonly string[]
  /** Where the plugin may write. */
  readonly scratch: string
  /** Call before each start: files left by a process must not affect the next one. */
  readonly emptyScratch: () => void
}

export interface UnpackOptions {
  /** The account that runs it; the host's own by default. */
  readonly account?: Account | undefined
  /** Memory limit of its process. */
  readonly memoryBytes: number
}

/**
 * Unpacks only its code: declared objects are read by the host. A separate account may read the code and write only to
 * `scratch`.
 */
export function unpackInto(
  name: string,
  { files }: PluginPackage,
  { account, memoryBytes }: UnpackOptions,
): UnpackedPackage {
  const directory = mkdtempSync(join(tmpdir(), `pergola-${name.slice(0, 20)}-code-`))
  const scratch = join(directory, 'scratch')
  mkdirSync(scratch, { mode: 0o700 })
  for (const [path, bytes] of files) {
    if (!/^[\w.-]+\.(js|map)$/.test(path)) continue
    const file = join(directory, 'package', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
  }
  // Otherwise Node.js would look for a package.json in parent folders.
  writeFileSync(join(directory, 'package', 'package.json'), '{"type":"module"}')
  if (account) {
    chownSync(scratch, account.uid, account.gid)
    chownSync(directory, 0, account.gid)
    chmodSync(directory, 0o750)
  }
  return {
    command: [process.execPath, ...frugal(memoryBytes), join(directory, 'package', 'plugin.js')],
    scratch,
    emptyScratch: () => {
      for (const left of readdirSync(scratch)) rmSync(join(scratch, left), { recursive: true, force: true })
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/**
 * V8 collects garbage when it approaches its limit, which by default depends on the machine's memory. Besides objects, a
 * process holds code and buffers, which take half of the smallest limit.
 */
function frugal(memoryBytes: number): readonly string[] {
  const mebibytes = memoryBytes / 1024 / 1024
  const young = Math.min(16, Math.max(1, Math.floor(mebibytes / 32)))
  return [`--max-old-space-size=${Math.floor(mebibytes / 2)}`, `--max-semi-space-size=${young}`]
}
