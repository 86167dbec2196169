import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand } from '../run-command.ts'

/** A private npm registry on loopback. Fetches missing packages from the registry that npm is configured with. */
export interface Registry extends AsyncDisposable {
  readonly url: string
  /** Publishes a tarball as the newest version of its package. */
  publish(tarball: string): Promise<void>
}

const folder = import.meta.dirname
const main = join(folder, 'node_modules/verdaccio/bin/verdaccio')
const startMs = 120_000

export async function startRegistry(): Promise<Registry> {
  await using stack = new AsyncDisposableStack()
  if (!existsSync(main)) await run('npm ci --ignore-scripts --no-audit --no-fund --loglevel=error', folder)
  const home = mkdtempSync(join(tmpdir(), 'pergola-registry-'))
  stack.defer(() => rmSync(home, { recursive: true, force: true }))
  const url = `http://127.0.0.1:${await freePort()}/`
  writeFileSync(
    join(home, 'config.yaml'),
    configuration(home, (await run('npm config get registry 2>/dev/null', home)).trim()),
  )
  const child = spawn(process.execPath, [main, '--config', join(home, 'config.yaml'), '--listen', url], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  stack.defer(async () => {
    if (child.kill()) await once(child, 'exit')
  })
  await untilAnswers(url)
  const userConfig = join(home, 'npmrc')
  writeFileSync(userConfig, `registry=${url}\n//${new URL(url).host}/:_authToken=${await tokenOf(url)}\n`)
  const kept = stack.move()
  return {
    url,
    publish: async (tarball) => {
      await run(`npm publish ${tarball} --userconfig ${userConfig} --access public`, process.cwd())
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function configuration(home: string, upstream: string): string {
  const own = { access: '$all', publish: '$authenticated' }
  return JSON.stringify({
    storage: join(home, 'packages'),
    auth: { htpasswd: { file: join(home, 'users'), max_users: 10 } },
    uplinks: { upstream: { url: upstream, maxage: '1h', timeout: '60s', max_fails: 20, fail_timeout: '1s' } },
    packages: {
      '@pergola/*': own,
      pergola: own,
      'create-pergola-plugin': own,
      '**': { access: '$all', proxy: 'upstream' },
    },
    max_body_size: '50mb',
    log: { type: 'stdout', format: 'pretty', level: 'error' },
  })
}

async function untilAnswers(url: string): Promise<void> {
  const end = performance.now() + startMs
  for (;;) {
    if (
      await fetch(`${url}-/ping`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
    if (performance.now() > end) throw new Error('the registry does not start')
    await sleep(100)
  }
}

async function tokenOf(url: string): Promise<string> {
  const name = 'publisher'
  const body = JSON.stringify({ name, password: 'only on loopback' })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}-/user/org.couchdb.user:${name}`, { method: 'PUT', headers, body })
  return ((await answer.json()) as { readonly token: string }).token
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function run(command: string, cwd: string): Promise<string> {
  const { passed, output } = await runCommand(command, { cwd })
  if (!passed) throw new Error(`${command}:\n${output}`)
  return output
}
