import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { watchSources } from './watch-sources.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** Longer than a test may last, so that changes are reported by file system events and not by polling. */
const anHour = 3_600_000

function watched({ lookMs = anHour } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-watched-'))
  folders.push(folder)
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'src/plugin.ts'), 'one')
  writeFileSync(join(folder, 'package.json'), '{}')
  const saved: string[] = []
  const watching = watchSources(folder, (files) => saved.push(...files), { lookMs })
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
  return { folder, saved, write, [Symbol.dispose]: () => watching[Symbol.dispose]() }
}

const patience = { timeout: 60_000 }

test('a saved file is reported on its file system event', async () => {
  using it = watched()
  it.write('src/plugin.ts', 'two')
  await expect.poll(() => it.saved, { ...patience, interval: 5 }).toEqual(['src/plugin.ts'])
})

test('a file that an editor renames over the original is reported', async () => {
  using it = watched()
  it.write('src/.plugin.ts.swap', 'two')
  renameSync(join(it.folder, 'src/.plugin.ts.swap'), join(it.folder, 'src/plugin.ts'))
  await expect.poll(() => it.saved, patience).toEqual(['src/plugin.ts'])
})

test('the temporary file of an editor or of sed is not reported before the rename', async () => {
  using it = watched()
  for (const [at, text] of ['two', 'three', 'four'].entries()) {
    it.write('src/sedXyZ', text)
    // oxlint-disable-next-line no-await-in-loop -- one save after the other
    await setTimeout(15)
    renameSync(join(it.folder, 'src/sedXyZ'), join(it.folder, 'src/plugin.ts'))
    // oxlint-disable-next-line no-await-in-loop
    await expect.poll(() => it.saved, patience).toHaveLength(at + 1)
  }
  expect(it.saved).toEqual(['src/plugin.ts', 'src/plugin.ts', 'src/plugin.ts'])
})

test('new files, files in new folders and deleted files are reported', async () => {
  // The file system does not report every event in a new folder.
  using it = watched({ lookMs: 100 })
  mkdirSync(join(it.folder, 'extensions/deep'), { recursive: true })
  it.write('extensions/deep/role.yaml', 'kind: Role')
  await expect.poll(() => it.saved, patience).toEqual(['extensions/deep/role.yaml'])
  it.write('extensions/deep/role.yaml', 'kind: Other')
  await expect.poll(() => it.saved, patience).toHaveLength(2)
  rmSync(join(it.folder, 'src/plugin.ts'))
  it.write('package.json', '{"version":"1.0.1"}')
  await expect
    .poll(() => it.saved.toSorted(), patience)
    .toEqual(['extensions/deep/role.yaml', 'extensions/deep/role.yaml', 'package.json', 'src/plugin.ts'])
})

test('files that are not sources are not reported', async () => {
  using it = watched()
  it.write('README.md', 'words')
  mkdirSync(join(it.folder, 'src/node_modules'))
  it.write('src/node_modules/some.ts', 'words')
  it.write('src/plugin.ts~', 'words')
  it.write('src/last.ts', 'words')
  await expect.poll(() => it.saved, patience).toEqual(['src/last.ts'])
})
