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
  /** Whether to run the command in a separate process. */
  readonly apart?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** Files to write into the working directory of the command. */
  readonly files?: Readonly<Record<string, string | Buffer>>
}

/** A server, and a client machine: the working directory of the command and its login configuration. */
export interface Installation extends AsyncDisposable {
  readonly url: string
  readonly server: PergolaProcess
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** Runs a command to its end, in this process unless `apart` is set. */
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Ended>
  /** Runs a command and returns its stdout; throws if it fails. */
  readonly done: (args: readonly string[], options?: RunOptions) => Promise<string>
}

/** Signed in as `admin`, unless `isSignedIn` is false. */
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
