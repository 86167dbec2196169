import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readProject } from './read-project.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pergola-project-'))
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'src/plugin.ts'), '')
})
afterEach(() => rmSync(folder, { recursive: true }))

const read = (pergola: object) => {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '1.0.0', pergola }))
  return readProject(folder)
}

test('icon and color of a plugin are read from package.json', () => {
  expect(read({ icon: 'wallet', color: 'teal' })).toMatchObject({ icon: 'wallet', color: 'teal' })
})

test.each([
  [{ icon: 'walet' }, 'pergola.icon "walet" is not an icon of the console; did you mean wallet?'],
  [{ color: 'purple' }, 'pergola.color "purple" is not a color of the console; known are grey, green'],
])('%j is rejected', (pergola, message) => {
  expect(() => read(pergola)).toThrow(message)
})
