import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { inlineSource } from '../call/page-headers.ts'

/** Next to the sources, and next to the compiled code. */
export const consoleFolder = new URL('../../console/', import.meta.url)

/** The built console, as files in a folder. */
export interface ConsoleFiles {
  /** Whether the build contains a file at that path; no other file is ever read. */
  has(path: string): boolean
  read(path: string): Promise<Buffer>
  /** Hashes of the inline scripts, as named in a content-security policy. */
  readonly inlineScripts: readonly string[]
}

export const consolePage = 'index.html'

/** The page for creating the first administrator: that of the console, or the host's own if the console was not built. */
export function setupPagePath(folder: URL): string {
  return existsSync(new URL(consolePage, folder)) ? '/console/setup' : '/auth/setup'
}

/** Undefined if the console was not built. */
export function readConsole(folder: URL): ConsoleFiles | undefined {
  if (!existsSync(new URL(consolePage, folder))) return undefined
  const paths = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }))
  return {
    has: (path) => paths.has(path),
    read: async (path) => readFile(new URL(path, folder)),
    inlineScripts: inlineScriptsOf(readFileSync(new URL(consolePage, folder), 'utf8')),
  }
}

function inlineScriptsOf(page: string): readonly string[] {
  return [...page.matchAll(/<script type="importmap">(.*?)<\/script>/gs)].map(([, text = '']) => inlineSource(text))
}
