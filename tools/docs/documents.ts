import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** All Markdown documents of the repository. */
export function documents(): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { encoding: 'utf8' })
  return listed
    .trim()
    .split('\n')
    .filter((file) => existsSync(file) && !file.startsWith('.changeset/'))
}
