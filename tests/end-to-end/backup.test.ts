import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { startPergola } from './pergola-process.ts'

const password = 'correct horse battery'
const maps = '/api/v1alpha1/configmaps'
const directory = mkdtempSync(join(tmpdir(), 'pergola-backup-'))
afterAll(() => rmSync(directory, { recursive: true }))

const engines = [
  { engine: 'SQLite', database: async (name: string) => `sqlite:${join(directory, `${name}.db`)}` },
  // PostgreSQL 15, because Debian's client programs do not support newer servers.
  {
    engine: 'PostgreSQL',
    database: async (name: string) => {
      const client = new Client({ connectionString: inject('postgres')['15'] })
      await client.connect()
      await client.query(`CREATE DATABASE ${name}`)
      await client.end()
      return Object.assign(new URL(inject('postgres')['15']), { pathname: `/${name}` }).href
    },
  },
]

for (const { engine, database } of engines) {
  describe(`on ${engine}`, () => {
    const folder = mkdtempSync(join(directory, 'at-'))
    writeFileSync(join(folder, 'password'), password)
    const environment = (url: string) => ({
      PERGOLA_DATABASE_URL: url,
      PERGOLA_ADMIN_USERNAME: 'admin',
      PERGOLA_ADMIN_PASSWORD_FILE: join(folder, 'password'),
      PERGOLA_SERVER_STOP_DELAY: '0',
    })
    const run = async (env: Readonly<Record<string, string>>, args: readonly string[]) => {
      await using command = startPergola({ args, directory: folder, env })
      return { code: await command.exited, stdout: command.stdout(), stderr: command.stderr() }
    }
    const serving = async (env: Readonly<Record<string, string>>) => {
      const pergola = startPergola({ directory: folder, env })
      const url = await pergola.url()
      const signedIn = await fetch(`${url}/auth/sessions`, {
        method: 'POST',
        headers: { origin: url, 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'admin', password, transport: 'token' }),
      })
      const { token } = (await signedIn.json()) as { readonly token: string }
      const send = (line: string, body?: object, more: Readonly<Record<string, string>> = {}) => {
        const [method = '', path = ''] = line.split(' ')
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more }
        return fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      }
      const create = async (name: string) =>
        expect((await send(`POST ${maps}`, { metadata: { name }, data: { name } })).status).toBe(201)
      const list = async () => {
        const answer = (await (await send(`GET ${maps}`)).json()) as {
          readonly revision: string
          readonly items: readonly { readonly metadata: { readonly name: string } }[]
        }
        return { revision: answer.revision, names: answer.items.map(({ metadata }) => metadata.name) }
      }
      const stop = async () => {
        pergola.signal('SIGTERM')
        await pergola.exited
      }
      return { token, send, create, list, stop, [Symbol.asyncDispose]: () => pergola[Symbol.asyncDispose]() }
    }

    test('a backup taken during writes is restored; sessions and watch revisions from before are rejected', async () => {
      const env = environment(await database('whole'))
      const file = join(folder, 'backup')
      let token = ''
      let after = { revision: '', names: [] as readonly string[] }
      {
        await using server = await serving(env)
        await server.create('before')
        let isOver = false
        const writing = (async () => {
          for (let at = 0; !isOver; at++) await server.create(`during-${at}`)
        })()
        const made = await run(env, ['backup', file])
        isOver = true
        await writing
        expect(made).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(/^ {2}backup {4}\S+ {2}\d+\.\d MB\n/) as string,
        })
        expect(made.stderr).toContain('"event":"backup"')
        expect(statSync(file).mode & 0o777).toBe(0o600)
        expect(await run(env, ['backup', file])).toMatchObject({
          code: 1,
          stderr: `${file} already exists; choose another name\n`,
        })
        await server.create('after')
        after = await server.list()
        ;({ token } = server)
        const refused = await run(env, ['restore', file, '--replace'])
        expect(refused).toMatchObject({
          code: 1,
          stderr: expect.stringMatching(/stop (it|the servers) first/) as string,
        })
        await server.stop()
      }
      expect((await run(env, ['restore', file])).stderr).toContain('use --replace')
      const restored = await run(env, ['restore', file, '--replace', '--json'])
      expect(restored).toMatchObject({ code: 0 })
      expect(JSON.parse(restored.stdout)).toMatchObject({ aside: expect.stringMatching(/before/) as string })

      await using server = await serving(env)
      const { names } = await server.list()
      expect(names).toContain('before')
      expect(names).not.toContain('after')
      expect(after.names).toEqual(expect.arrayContaining([...names]))
      expect((await server.send(`GET ${maps}`, undefined, { authorization: `Bearer ${token}` })).status).toBe(401)
      await server.create('after')
      const stream = { accept: 'text/event-stream' }
      const watched = await server.send(`GET ${maps}?revision=${after.revision}`, undefined, stream)
      expect(await watched.text()).toContain('RevisionExpired')
    })
  })
}
