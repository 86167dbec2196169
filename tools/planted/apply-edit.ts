import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Edit } from './planted-fault.ts'

/** Applies an edit and returns a function that undoes it. */
export function applyEdit(cwd: string, edit: Edit): () => void {
  const file = join(cwd, edit.file)
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, edited(before ?? '', edit))
  return () => (before === undefined ? rmSync(file) : writeFileSync(file, before))
}

function edited(text: string, edit: Edit): string {
  if ('add' in edit) return `${text}${edit.add}\n`
  if (!text.includes(edit.replace)) throw new Error(`${edit.file} no longer holds "${edit.replace}"`)
  return text.replace(edit.replace, edit.by)
}
