import { existsSync, readFileSync } from 'node:fs'
import { at, placeIn, type Place } from './author-fault.ts'
import { kitExports, kitPackage, meantWords } from './kit-exports.ts'

export interface BundledPages {
  readonly folder: string
  /** The minified bundle, which begins with its imports. */
  readonly code: string
  /** Paths of its modules. */
  readonly paths: readonly string[]
  readonly nameOf: (path: string) => string
}

/** Imports of what the kit does not export: a browser would run nothing of the bundle. */
export function checkKitImports({ folder, code, paths, nameOf }: BundledPages): readonly string[] {
  const known = kitExports(folder)
  if (!known) return []
  return importedFromKit(code)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const words = `"${name}" is not exported by "${kitPackage}"${meantWords(name, known)}`
      return at(placeOfImport(name, paths, nameOf), words)
    })
}

function importedFromKit(code: string): readonly string[] {
  const [imports = ''] = /^(?:import(?:[^"']*?from)?\s*["'][^"']*["'];?\s*)*/.exec(code) ?? []
  const found = imports.matchAll(new RegExp(`\\{([^{}]*)\\}\\s*from\\s*["']${kitPackage}["']`, 'g'))
  return [...found].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((one) => one.trim().split(/\s/)[0] ?? '')
      .filter((name) => name !== ''),
  )
}

function placeOfImport(name: string, paths: readonly string[], nameOf: (path: string) => string): Place {
  const form = new RegExp(`(\\{[^{}]*?)\\b${name}\\b[^{}]*\\}\\s*from\\s*['"]${kitPackage}['"]`)
  for (const path of paths.filter((one) => existsSync(one))) {
    const text = readFileSync(path, 'utf8')
    const found = form.exec(text)
    if (found) return placeIn(nameOf(path), text, found.index + (found[1] ?? '').length)
  }
  return { file: 'src/ui' }
}
