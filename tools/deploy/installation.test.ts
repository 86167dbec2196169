import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig, type Config } from '../../packages/server/src/config/config.ts'
import { readYaml } from './yaml-files.ts'

interface ComposeService {
  readonly image: string
  readonly profiles?: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly volumes: readonly string[]
  readonly ports?: readonly string[]
  readonly expose: readonly string[]
  readonly healthcheck: { readonly test: readonly string[] }
  readonly stop_grace_period: string
  readonly command?: readonly string[]
  readonly deploy?: { readonly replicas: number }
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

const dockerfile = readFileSync('deploy/Dockerfile', 'utf8')
const { services, secrets } = readYaml('deploy/compose.yaml') as Compose
const { pergola, replica, postgres } = services as Record<'pergola' | 'replica' | 'postgres', ComposeService>

/** The account that the image runs as. */
const account = '10001'

function configOf(file: string, env: Readonly<Record<string, string>> = {}): Config {
  return loadConfig({ file: { name: file, text: readFileSync(file, 'utf8') }, env })
}

/** Fills in variables as compose does, with all required ones set. */
function filled(environment: Readonly<Record<string, string>>): Record<string, string> {
  const fill = (text: string) => text.replaceAll(/\$\{\w+(?::-([^}]*)|:\?[^}]*)\}/g, (_, fallback) => fallback ?? 'abc')
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(value)]))
}

describe('the image', () => {
  test('uses the Node.js release of the tests', () => {
    const release = readFileSync('.node-version', 'utf8').trim()
    expect(dockerfile).toContain(`ARG NODE_IMAGE=node:${release}-bookworm-slim\n`)
    expect(dockerfile.match(/^FROM \S+/gm)).toEqual(['FROM ${NODE_IMAGE}', 'FROM ${NODE_IMAGE}'])
  })

  test('runs as an unprivileged user with one data folder', () => {
    expect(dockerfile).toMatch(new RegExp(`^USER ${account}:${account}$`, 'm'))
    expect(dockerfile.match(/^VOLUME .*$/gm)).toEqual(['VOLUME /var/lib/pergola'])
    expect(dockerfile).toMatch(/^WORKDIR \/var\/lib\/pergola$/m)
    expect(configOf('deploy/config/image.yaml').database.url).toBe('sqlite:pergola.db')
  })

  test('exposes the ports of its configuration', () => {
    const { server, metrics } = configOf('deploy/config/image.yaml')
    expect(dockerfile).toMatch(new RegExp(`^EXPOSE ${server.port} ${metrics.port}$`, 'm'))
    expect(dockerfile).toContain('CMD ["node", "/opt/pergola/health.js", "/livez"]')
    expect(readFileSync('deploy/health.js', 'utf8')).toContain(`https://127.0.0.1:${server.port}\${path}`)
  })

  test('stops within the default grace period of ten seconds', () => {
    const { stopDelay, drainTimeout } = configOf('deploy/config/image.yaml').server
    expect(stopDelay + drainTimeout).toBeLessThan(10)
  })

  test('contains every package that the command needs, and the one for NATS', () => {
    const copied = [...dockerfile.matchAll(/^COPY --from=build \S+packages\/(\S+) \S+$/gm)].map(([, name]) => name)
    expect(new Set(copied)).toEqual(new Set([...packagesOf('cli'), 'feed-nats']))
  })

  test('copies only files that are not ignored, and ignores local secrets', () => {
    const ignored = readFileSync('deploy/Dockerfile.dockerignore', 'utf8').split('\n')
    expect(ignored).toEqual(expect.arrayContaining(['deploy/*', '!deploy/config', '**/node_modules', '.git']))
    const own = [...dockerfile.matchAll(/^COPY (deploy\/\S+)/gm)].map(([, file = '']) => file)
    expect(own.filter((file) => !file.startsWith('deploy/config/') && !ignored.includes(`!${file}`))).toEqual([])
  })
})

describe('compose', () => {
  test('gives the host a valid configuration', () => {
    const config = configOf('deploy/config/compose.yaml', filled(pergola.environment))
    expect(config.database).toMatchObject({
      url: 'postgres://pergola@postgres:5432/pergola',
      passwordFile: '/run/secrets/database-password',
    })
    expect(postgres.environment).toMatchObject({ POSTGRES_PASSWORD_FILE: config.database.passwordFile })
    expect(config.server.publicUrl).toBe('http://127.0.0.1:8090')
    expect(config.feed.transport).toBe('postgres')
  })

  test('gives replicas a NATS configuration with existing servers', () => {
    const { feed } = configOf('deploy/config/compose.yaml', filled(replica.environment))
    const servers = Object.keys(services).filter((name) => name.startsWith('nats-'))
    expect(feed).toMatchObject({ transport: 'nats', natsReplicas: servers.length, natsUser: 'pergola' })
    expect(feed.natsUrl).toEqual(servers.map((name) => `nats://${name}:4222`))
    const conf = readFileSync('deploy/nats/nats.conf', 'utf8')
    expect(conf).toContain('listen: 0.0.0.0:4222')
    expect(conf).toContain(`routes: [${servers.map((name) => `nats://${name}:6222`).join(', ')}]`)
    expect(conf).toContain(`user: ${feed.natsUser}`)
    for (const name of servers) expect(services[name]?.command).toContain(name)
  })

  test.each([
    ['the host', pergola],
    ['replicas', replica],
  ])('mounts every file that the configuration of %s names, and no others', (_, service) => {
    const {
      admin,
      database,
      secrets: sealing,
      feed,
      plugins,
    } = configOf('deploy/config/compose.yaml', filled(service.environment))
    const sealed = sealing.keys.map((source) => ('file' in source ? source.file : undefined))
    const files = [admin.passwordFile, database.passwordFile, ...sealed, feed.natsPasswordFile].flatMap(
      (file) => file ?? [],
    )
    expect(new Set(files)).toEqual(new Set(service.secrets.map((name) => `/run/secrets/${name}`)))
    const mounts = service.volumes.map((volume) => volume.split(':')[1])
    expect(mounts).toEqual(['/etc/pergola/pergola.yaml', plugins.directory, '/var/lib/pergola', '/var/backups/pergola'])
    expect(dockerfile).toContain('CMD ["serve", "--config", "/etc/pergola/pergola.yaml"]')
  })

  test('ships no secret: the script creates each one, and the start fails without them', () => {
    const script = readFileSync('deploy/make-secrets.sh', 'utf8')
    for (const { file } of Object.values(secrets)) expect(script).toContain(`make ${file.replace('./secrets/', '')} `)
    expect(script).toContain(`chown ${account}:${account}`)
    const passwords = Object.values(services).flatMap(({ environment }) =>
      Object.entries(environment).filter(([name]) => /PASSWORD$|_URL$/.test(name)),
    )
    const open = passwords.filter(([, value]) => /:[^/]*@/.test(value) || !value.includes('://'))
    expect(open.length).toBeGreaterThan(2)
    expect(open.filter(([, value]) => !/\$\{\w+:\?[^}]+\}/.test(value))).toEqual([])
    expect(readFileSync('.gitignore', 'utf8').split('\n')).toEqual(
      expect.arrayContaining(['/deploy/.env', '/deploy/secrets/', '/deploy/plugins/']),
    )
  })

  test('publishes only the ports of the server, and only on localhost', () => {
    const { server, metrics } = configOf('deploy/config/compose.yaml')
    expect(pergola.ports).toEqual([`127.0.0.1:${server.port}:${server.port}`])
    const [, from, to] = /^127\.0\.0\.1:(\d+)-(\d+):8090$/.exec(replica.ports?.[0] ?? '') ?? []
    expect(Number(to) - Number(from) + 1).toBe(replica.deploy?.replicas)
    for (const { expose, healthcheck } of [pergola, replica]) {
      expect(expose).toEqual([String(metrics.port)])
      expect(healthcheck.test).toEqual(['CMD', 'node', '/opt/pergola/health.js', '/readyz'])
    }
    expect(Object.values(services).flatMap(({ ports = [] }) => ports)).toHaveLength(2)
  })

  test('has a stop grace period longer than the stop of the server', () => {
    const { stopDelay, drainTimeout } = configOf('deploy/config/compose.yaml').server
    expect(Number.parseInt(pergola.stop_grace_period, 10)).toBeGreaterThan(stopDelay + drainTimeout + 5)
  })

  test('has backup tools in the image that are not older than the database', () => {
    const [, client] = /^ARG POSTGRES_VERSION=(\d+)$/m.exec(dockerfile) ?? []
    expect(postgres.image).toBe(`\${POSTGRES_IMAGE:-postgres:${client}}`)
  })

  test('runs one host and a database by default', () => {
    const plain = Object.entries(services).filter(([, { profiles }]) => profiles === undefined)
    expect(plain.map(([name]) => name)).toEqual(['pergola', 'postgres'])
  })
})

describe('systemd', () => {
  const unit = readFileSync('deploy/systemd/pergola.service', 'utf8')
  const rotation = readFileSync('deploy/systemd/logrotate.conf', 'utf8')
  const dropIn = readFileSync('deploy/systemd/isolation.conf', 'utf8')
  const settingOf = (name: string, text = unit) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1]

  test('starts the server with a valid configuration whose files it may write', () => {
    const config = configOf('deploy/config/systemd.yaml')
    expect(settingOf('ExecStart')).toMatch(/\/pergola serve --config \/etc\/pergola\/pergola\.yaml$/)
    expect(settingOf('ProtectSystem')).toBe('strict')
    const state = `/var/lib/${settingOf('StateDirectory')}`
    expect(settingOf('WorkingDirectory')).toBe(state)
    expect(config.database.url).toBe(`sqlite:${state}/pergola.db`)
    // Whoever fills the audit log must not stop the database.
    expect(config.audit.file).toBe(`/var/log/${settingOf('LogsDirectory')}/audit.log`)
    expect(rotation).toContain(`\n${config.audit.file} {\n`)
  })

  test('sets only variables of known settings', () => {
    const named = [...`${unit}${dropIn}`.matchAll(/PERGOLA_\w+/g)].map(([name]) => name)
    expect(named.length).toBeGreaterThan(0)
    expect(() => loadConfig({ env: Object.fromEntries(named.map((name) => [name, 'postgres://x@y/z'])) })).not.toThrow()
  })

  test('has a stop timeout longer than the stop of the server, and leaves plugins to the server', () => {
    const { stopDelay, drainTimeout } = configOf('deploy/config/systemd.yaml').server
    expect(Number(settingOf('TimeoutStopSec'))).toBeGreaterThan(stopDelay + drainTimeout + 5)
    expect(settingOf('KillMode')).toBe('mixed')
    expect(settingOf('OOMPolicy')).toBe('continue')
  })

  test('has no privileges by default, and those for plugin accounts with the drop-in file', () => {
    expect(settingOf('User')).toBe('pergola')
    expect(settingOf('NoNewPrivileges')).toBe('yes')
    expect(settingOf('CapabilityBoundingSet')).toBe('')
    expect(settingOf('CapabilityBoundingSet', dropIn)?.split(' ').toSorted()).toEqual([
      'CAP_CHOWN',
      'CAP_DAC_OVERRIDE',
      'CAP_KILL',
      'CAP_SETGID',
      'CAP_SETUID',
      'CAP_SYS_NICE',
    ])
    expect(settingOf('UMask', dropIn)).toBe('0022')
    // Either would keep the host from running or from reading the memory use of plugins.
    expect(settingOf('MemoryDenyWriteExecute')).toBeUndefined()
    expect(settingOf('ProtectProc')).toBeUndefined()
  })

  test.runIf(isInstalled('systemd-analyze'))('systemd accepts the unit and rates its exposure as low', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pergola-unit-'))
    const file = join(folder, 'pergola.service')
    try {
      // The program is not installed here.
      writeFileSync(file, unit.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'))
      const run = (...words: string[]) =>
        execFileSync('sh', ['-c', `systemd-analyze ${words.join(' ')} ${file} 2>&1`], { encoding: 'utf8' })
      expect(run('verify', '--man=no')).toBe('')
      expect(run('security', '--offline=true', '--no-pager', '--threshold=25')).toContain('OK')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test.runIf(isInstalled('logrotate'))('logrotate accepts its file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pergola-rotate-'))
    const file = join(folder, 'logrotate.conf')
    try {
      // The account does not exist here.
      writeFileSync(file, rotation.replaceAll('pergola pergola', 'root root'), { mode: 0o600 })
      const { stderr } = spawnSync('logrotate', ['--debug', `--state=${join(folder, 'state')}`, file], {
        encoding: 'utf8',
      })
      expect(stderr).not.toMatch(/^error:/m)
      expect(stderr).toContain('rotating pattern: /var/log/pergola/audit.log')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

/** A package with its dependencies of this repository. */
function packagesOf(name: string, found: Set<string> = new Set()): Set<string> {
  const text = readFileSync(`packages/${name}/package.json`, 'utf8')
  const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> }
  found.add(name)
  for (const needed of Object.keys(dependencies)) {
    const own = needed.replace('@pergola/', '')
    if (own !== needed && !found.has(own)) packagesOf(own, found)
  }
  return found
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
