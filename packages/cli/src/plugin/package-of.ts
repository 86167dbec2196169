import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface FoundPackage {
  readonly name: string
  /** Folder of the `package.json`. */
  readonly folder: string
}

/** Finds the package of a file. */
export type PackageOf = (file: string) => FoundPackage | undefined

/**
 * Caches per folder: a bundle has hundreds of files and few packages. Skips a `package.json` without a name, which only sets
 * the module type.
 */
export function createPackageOf(): PackageOf {
  const known = new Map<string, FoundPackage | undefined>()
  const packageIn = (folder: string): FoundPackage | undefined => {
    if (known.has(folder)) return known.get(folder)
    const manifest = join(folder, 'package.json')
    const name = existsSync(manifest) ? nameIn(readFileSync(manifest, 'utf8')) : undefined
    const above = dirname(folder)
    const found = name === undefined ? (above === folder ? undefined : packageIn(above)) : { name, folder }
    known.set(folder, found)
    return found
  }
  return (file) => packageIn(dirname(file))
}

function nameIn(text: string): string | undefined {
  try {
    const { name } = JSON.parse(text) as { readonly name?: unknown }
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}
