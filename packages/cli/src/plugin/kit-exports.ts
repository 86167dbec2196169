import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nearest } from '@pergola/api'

/** The package of the console's kit, whose code is the console's. */
export const kitPackage = '@pergola/console'

/** What the installed kit exports besides types; undefined if it is not installed. */
export function kitExports(folder: string): readonly string[] | undefined {
  const file = join(folder, 'node_modules', kitPackage, 'kit.d.ts')
  if (existsSync(file)) {
    const found = readFileSync(file, 'utf8').matchAll(/^export declare (?:const|function) (\w+)/gm)
    return [...new Set([...found].map(([, name = '']) => name))]
  }
  return folder === dirname(folder) ? undefined : kitExports(dirname(folder))
}

/** `; did you mean "Drawer"?` */
export function meantWords(word: string, known: readonly string[]): string {
  const meant = nearest(word, known)
  return meant === undefined ? '' : `; did you mean "${meant}"?`
}
