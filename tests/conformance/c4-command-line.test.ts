import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPergola } from '../end-to-end/pergola-process.ts'
import { expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const ownTokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'

onEachEngine((api) => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pergola-singular-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('C4-41 the command line accepts a resource by singular or plural and prints the singular', async () => {
    const geese = await api.model({ kind: 'Goose', singular: 'goose', plural: 'geese' })
    await geese.created({ name: 'martin' })
    const made = await api.request('POST', ownTokens, { body: {} })
    expectStatus(made, 201)
    writeFileSync(join(folder, 'token'), (made.body as { readonly token: string }).token)
    const run = async (...args: readonly string[]) => {
      const env = { PERGOLA_SERVER: api.origin(), PERGOLA_TOKEN_FILE: 'token', XDG_CONFIG_HOME: folder }
      await using pergola = startPergola({ args, directory: folder, env })
      return { code: await pergola.exited, stdout: pergola.stdout(), stderr: pergola.stderr() }
    }
    expect(await run('get', 'goose', 'martin', '-o', 'name')).toEqual({ code: 0, stdout: 'martin\n', stderr: '' })
    expect(await run('get', 'geese', 'martin', '-o', 'name')).toEqual({ code: 0, stdout: 'martin\n', stderr: '' })
    const deleted = { code: 0, stdout: '  goose martin deleted\n', stderr: '' }
    expect(await run('delete', 'goose', 'martin', '--yes')).toEqual(deleted)
  })
})
