import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface FoundPackage {
  readonly name: string
  /** With its `package.json`. */
  readonly folder: string
}

/** The package that a file belongs to. */
export type PackageOf = (file: string) => FoundPackage | undefined

/**
 * Looks at every folder once: a bundle has hundreds of files, and few packages. A `package.json` without a name only says how
 * the files beside it are read.
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
