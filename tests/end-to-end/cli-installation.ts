import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runHere } from './cli-in-process.ts'
import { startPergola, type PergolaProcess } from './pergola-process.ts'

export const password = 'correct horse battery'

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface RunOptions {
  /** Whether it is a process of its own. */
  readonly apart?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** Written to files of the folder that the command runs in. */
  readonly files?: Readonly<Record<string, string | Buffer>>
}

/** A server, and somebody at a machine who uses the command: its folder, and what logins leave there. */
export interface Installation extends AsyncDisposable {
  readonly url: string
  readonly server: PergolaProcess
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** The command to its end, in this process unless another one is asked for. */
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Ended>
  /** What it prints; throws when it fails. */
  readonly done: (args: readonly string[], options?: RunOptions) => Promise<string>
}

/** Signed in as `admin`, unless it is said. */
export async function startInstallation(
  settings: { readonly databaseUrl?: string; readonly isSignedIn?: boolean } = {},
): Promise<Installation> {
  const { databaseUrl, isSignedIn = true } = settings
  await using started = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'pergola-command-'))
  started.defer(() => rmSync(folder, { recursive: true, force: true }))
  const server = started.use(
    startPergola({
      env: {
        PERGOLA_ADMIN_USERNAME: 'admin',
        PERGOLA_ADMIN_PASSWORD_FILE: 'password',
        PERGOLA_SERVER_STOP_DELAY: '0',
        ...(databaseUrl !== undefined && { PERGOLA_DATABASE_URL: databaseUrl }),
      },
      files: {
        password,
        key: randomBytes(32).toString('base64'),
        'pergola.yaml': 'secrets: { keys: [{ file: key }] }',
      },
    }),
  )
  const url = await server.url()
  const env = { XDG_CONFIG_HOME: join(folder, 'config'), HOME: folder, TZ: 'UTC' }
  const run: Installation['run'] = async (args, options = {}) => {
    for (const [name, text] of Object.entries(options.files ?? {})) writeFileSync(join(folder, name), text)
    const variables = { ...env, ...options.env }
    if (!options.apart) return runHere({ args, folder, variables })
    await using pergola = startPergola({ args, directory: folder, env: variables })
    const code = await pergola.exited
    return { code, stdout: pergola.stdout(), stderr: pergola.stderr() }
  }
  const done: Installation['done'] = async (args, options) => {
    const { code, stdout, stderr } = await run(args, options)
    if (code !== 0) throw new Error(`pergola ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`)
    return stdout
  }
  writeFileSync(join(folder, 'password'), password)
  if (isSignedIn) await done(['login', url, '--username', 'admin', '--password-file', 'password'])
  const running = started.move()
  return { url, server, folder, env, run, done, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
