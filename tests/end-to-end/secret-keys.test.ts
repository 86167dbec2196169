import { randomBytes } from 'node:crypto'
import { createDatabase } from '@pergola/test-servers'
import { expect, inject, test } from 'vitest'
import { startPergola, type PergolaOptions } from './pergola-process.ts'

const json = { 'content-type': 'application/json' }

/** Runs a command and waits for its exit. */
async function run(args: readonly string[], options: PergolaOptions) {
  await using pergola = startPergola({ ...options, args })
  const code = await pergola.exited
  return { code, stdout: pergola.stdout(), stderr: pergola.stderr() }
}

async function signedIn(url: string, password: string) {
  const body = JSON.stringify({ username: 'ann', password, transport: 'token' })
  const response = await fetch(`${url}/auth/sessions`, { method: 'POST', headers: { ...json, origin: url }, body })
  const { token } = (await response.json()) as { readonly token: string }
  return { authorization: `Bearer ${token}` }
}

test('servers without the keys of stored secrets say so; secrets rotate waits for every server to have the first key', async () => {
  await using database = await createDatabase(inject('postgres')['18'])
  const key = () => randomBytes(32).toString('base64')
  const password = 'correct horse battery'
  const env = {
    PERGOLA_DATABASE_URL: database.url,
    PERGOLA_ADMIN_USERNAME: 'ann',
    PERGOLA_ADMIN_PASSWORD_FILE: 'password',
  }
  const yaml = (...keys: readonly string[]) => ({
    'pergola.yaml': `secrets: { keys: [${keys.map((file) => `{ file: ${file} }`).join(', ')}] }`,
  })
  const files = { old: key(), new: key(), password }
  const id = async (directory: string) => {
    const { stdout } = await run(['secrets', 'keys', '--json'], { directory })
    return (JSON.parse(stdout) as { readonly items: readonly { readonly id: string }[] }).items[0]?.id ?? ''
  }
  await using first = startPergola({ env, files: { ...files, ...yaml('old') } })
  const { directory } = first
  const oldId = await id(directory)
  const url = await first.url()
  const headers = await signedIn(url, password)
  const checks = async (at: string) => (await fetch(`${at}/readyz?verbose`, { headers })).text()
  const secret = { metadata: { name: 'one' }, data: { password: 'x' } }
  const created = { method: 'POST', headers: { ...headers, ...json }, body: JSON.stringify(secret) }
  expect((await fetch(`${url}/api/v1alpha1/secrets`, created)).status).toBe(201)
  expect(await checks(url)).toContain(`[ok]     secrets     every stored secret can be read (keys here: ${oldId})`)

  const rotated = await run(['secrets', 'rotate'], { directory, env, files: yaml('new', 'old') })
  const newId = await id(directory)
  expect(rotated).toMatchObject({ code: 1, stdout: '' })
  expect(rotated.stderr).toContain(`1 of 1 running servers do not have the first key, ${newId}`)
  expect((await fetch(`${url}/api/v1alpha1/secrets/one`, { headers })).status).toBe(200)

  await using second = startPergola({ directory, env, files: yaml('new') })
  const words = `1 secret needs the key ${oldId}; not in secrets.keys (keys here: ${newId})`
  expect(await checks(await second.url())).toContain(`[ok]     secrets     ${words}`)
  expect(second.stderr()).toContain(words)
})
