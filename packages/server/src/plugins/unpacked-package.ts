import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Account } from './process/accounts.ts'
import type { PluginPackage } from './read-package.ts'

/** A package on disk, for as long as it runs. */
export interface UnpackedPackage extends Disposable {
  readonly command: readonly string[]
  /** Where the plugin may write; empty at first. */
  readonly scratch: string
}

export interface UnpackOptions {
  /** Who runs it; ourselves when left out. */
  readonly account?: Account | undefined
  /** That its process may hold. */
  readonly memoryBytes: number
}

/** Only its code: what it declares is the host's to read. An account of its own may read it and write nowhere but in `scratch`. */
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
  // Without it Node.js would look for one above.
  writeFileSync(join(directory, 'package', 'package.json'), '{"type":"module"}')
  if (account) {
    chownSync(scratch, account.uid, account.gid)
    chownSync(directory, 0, account.gid)
    chmodSync(directory, 0o750)
  }
  return {
    command: [
      process.execPath,
      ...frugal(memoryBytes),
      '--enable-source-maps',
      join(directory, 'package', 'plugin.js'),
    ],
    scratch,
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/**
 * V8 collects garbage when it comes near what it may have, and by itself would take as much as the machine has. Beside objects a
 * process holds its code and buffers, which take half of the least limit.
 */
function frugal(memoryBytes: number): readonly string[] {
  const mebibytes = memoryBytes / 1024 / 1024
  const young = Math.min(16, Math.max(1, Math.floor(mebibytes / 32)))
  return [`--max-old-space-size=${Math.floor(mebibytes / 2)}`, `--max-semi-space-size=${young}`]
}
