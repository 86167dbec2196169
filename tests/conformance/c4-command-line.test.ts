import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPergola } from '../end-to-end/pergola-process.ts'
import { freshModel, modelName } from './models.ts'
import { expectStatus } from './request.ts'
import { onEachEngine, once } from './server.ts'

const ownTokens = '/apis/uc.api.platform.run/v1alpha1/personalaccesstokens'

onEachEngine((api) => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pergola-singular-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const run = async (...args: readonly string[]) => {
    const env = { PERGOLA_SERVER: api.origin(), PERGOLA_TOKEN_FILE: 'token', XDG_CONFIG_HOME: folder }
    await using pergola = startPergola({ args, directory: folder, env })
    return { code: await pergola.exited, stdout: pergola.stdout(), stderr: pergola.stderr() }
  }
  const signIn = once(async () => {
    const made = await api.request('POST', ownTokens, { body: {} })
    expectStatus(made, 201)
    writeFileSync(join(folder, 'token'), (made.body as { readonly token: string }).token)
  })

  test('C4-41 the command line accepts a resource by singular or plural and prints the singular', async () => {
    const geese = await api.model({ kind: 'Goose', singular: 'goose', plural: 'geese' })
    await geese.created({ name: 'martin' })
    await signIn()
    expect(await run('get', 'goose', 'martin', '-o', 'name')).toEqual({ code: 0, stdout: 'martin\n', stderr: '' })
    expect(await run('get', 'geese', 'martin', '-o', 'name')).toEqual({ code: 0, stdout: 'martin\n', stderr: '' })
    const deleted = { code: 0, stdout: '  goose martin deleted\n', stderr: '' }
    expect(await run('delete', 'goose', 'martin', '--yes')).toEqual(deleted)
  })

  test('C4-453 a model is applied from a file without a name', async () => {
    await signIn()
    const model = { apiVersion: 'plugin.platform.run/v1alpha1', kind: 'Model', spec: freshModel() }
    const name = modelName(model.spec)
    const file = (value: object) => writeFileSync(join(folder, 'model.json'), JSON.stringify(value))
    for (const metadata of [undefined, {}, { name }]) {
      file({ ...model, ...(metadata && { metadata }) })
      const applied = await run('apply', '-f', 'model.json')
      expect(applied, applied.stderr).toMatchObject({ code: 0 })
      expect(applied.stdout).toContain(`model ${name} ${metadata ? 'unchanged' : 'created'}`)
    }
    file({ ...model, metadata: { name: 'other' } })
    const wrong = await run('apply', '-f', 'model.json')
    expect(wrong.code).not.toBe(0)
    expect(wrong.stderr).toContain(`must be "${name}", which follows from group and plural; or leave it out`)
  })
})
