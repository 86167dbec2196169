import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** Folders of the repository, without `plugins`, which is also the name of a resource. */
const rooted = /^(\.ci|bench|deploy|docs|examples|packages|tests|tools)\/[\w./-]+$/
const sourceFile = /^\w[\w./-]*\.(ts|vue|sh|sql|mjs)$/

/** Returns the files and folders that a document names in backticks and that do not exist. */
export function createMissingFiles(): (document: string, text: string) => readonly string[] {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' }).split('\n')
  const isSomewhere = (name: string) => files.some((file) => file === name || file.endsWith(`/${name}`))
  return (document, text) => {
    const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
    const named = new Set([...prose.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name))
    const rows = [...prose.matchAll(/\| `([\w./-]+\.ts)` \| `(\w+)` \|/g)]
    const unknown = rows
      .filter(([, file = '', name = '']) => !isExported(files, file, name))
      .map(([, file = '', name = '']) => `${document}: ${file} exports no function ${name}`)
    const missing = [...named].filter(
      (name) => (rooted.test(name) && !isThere(name)) || (isOfCode(document, name) && !isSomewhere(name)),
    )
    return [...unknown, ...missing.map((name) => `${document}: there is no file ${name}`)]
  }
}

function isExported(files: readonly string[], file: string, name: string): boolean {
  const at = files.find((one) => one === file || one === `packages/server/src/${file}`)
  return (
    at !== undefined &&
    new RegExp(String.raw`^export (async )?function\*? ${name}\b`, 'm').test(readFileSync(at, 'utf8'))
  )
}

/** Files that git ignores are created by the reader of a document. */
function isThere(name: string): boolean {
  return existsSync(name) || spawnSync('git', ['check-ignore', name, `${name}/`]).status === 0
}

/** ARCHITECTURE.md names source files relative to the folder of its section; every document names tests by file. */
function isOfCode(document: string, name: string): boolean {
  return sourceFile.test(name) && (document === 'ARCHITECTURE.md' || name.endsWith('.test.ts'))
}
