import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { setupPagePath } from './read-console.ts'

test("the first administrator is created on the console's page, and without a built console on the host's own", async () => {
  await using made = await mkdtempDisposable(join(tmpdir(), 'console-'))
  const folder = pathToFileURL(`${made.path}/`)
  expect(setupPagePath(folder)).toBe('/auth/setup')
  await writeFile(join(made.path, 'index.html'), '')
  expect(setupPagePath(folder)).toBe('/console/setup')
})
