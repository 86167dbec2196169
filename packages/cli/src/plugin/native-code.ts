import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FoundPackage, PackageOf } from './package-of.ts'

const advice = 'which a plugin cannot carry; use a package written in JavaScript or WebAssembly'
/** Packages that load native code at run time. */
const loaders = new Set(['bindings', 'node-gyp-build', '@mapbox/node-pre-gyp', 'node-pre-gyp', 'prebuild-install'])

/** Says why a file only works on this machine; undefined for portable files. The message reads after the file name. */
export type NativeFault = (file: string) => string | undefined

/** Inspects every package once. */
export function createNativeFault(packageOf: PackageOf): NativeFault {
  const known = new Map<string | undefined, string | undefined>()
  return (file) => {
    const found = packageOf(file)
    if (file.endsWith('.node')) return `${wordsFor(found)} needs native code, ${advice}`
    if (!known.has(found?.folder)) known.set(found?.folder, found && packageFault(found))
    return known.get(found?.folder)
  }
}

function wordsFor(found: FoundPackage | undefined): string {
  return found ? `the package ${found.name}` : 'it'
}

function packageFault(found: FoundPackage): string | undefined {
  if (loaders.has(found.name)) return `${found.name} looks for native code, ${advice}`
  return existsSync(join(found.folder, 'binding.gyp'))
    ? `${wordsFor(found)} is compiled from native code, ${advice}`
    : undefined
}
