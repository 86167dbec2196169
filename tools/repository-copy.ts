import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scratchFolder } from '../tests/scratch-folder.ts'

export interface RepositoryCopy extends Disposable {
  readonly path: string
}

/** Copies all files that git tracks or would add into a temporary folder, in memory if possible, because it receives many files. */
export function copyRepository(): RepositoryCopy {
  const path = mkdtempSync(join(scratchFolder() ?? tmpdir(), 'pergola-copy-'))
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  for (const file of files.trim().split('\n')) {
    if (existsSync(file)) cpSync(file, join(path, file))
  }
  execFileSync('git', ['init', '-q'], { cwd: path })
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
