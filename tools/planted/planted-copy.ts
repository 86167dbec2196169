import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { copyRepository, type RepositoryCopy } from '../repository-copy.ts'

const builtConsole = 'packages/server/console'

/** A copy of the repository in which commands run as they do here, for faults to be planted in. */
export function copyForPlanting(): RepositoryCopy {
  const copy = copyRepository()
  linkPackages(copy.path)
  // Copies the built console, because no fault is planted in its pages.
  if (existsSync(builtConsole)) symlinkSync(resolve(builtConsole), join(copy.path, builtConsole))
  return copy
}

/** Links installed packages; our own among them point into the copy, so that they see its faults. */
function linkPackages(target: string): void {
  const installed = 'node_modules'
  mkdirSync(join(target, installed, '@pergola'), { recursive: true })
  for (const name of readdirSync(installed)) {
    const isCache = name.startsWith('.') && name !== '.bin'
    if (name !== '@pergola' && !isCache) symlinkSync(resolve(installed, name), join(target, installed, name))
  }
  for (const name of readdirSync(join(installed, '@pergola'))) {
    const folder = relative('.', realpathSync(join(installed, '@pergola', name)))
    symlinkSync(join(target, folder), join(target, installed, '@pergola', name))
  }
}
