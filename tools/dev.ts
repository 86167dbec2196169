import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'

/** The server from its sources, restarted on every save; database and token are kept between runs. */
const folder = '.pergola'
const tokenFile = `${folder}/dev-token`

mkdirSync(folder, { recursive: true })
if (!existsSync(tokenFile)) writeFileSync(tokenFile, `pgl_${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })

const child = spawn(
  process.execPath,
  [
    '--watch',
    '--watch-preserve-output',
    '--conditions=source',
    'packages/cli/src/main.ts',
    'serve',
    ...process.argv.slice(2),
  ],
  {
    stdio: 'inherit',
    env: {
      PERGOLA_DATABASE_URL: `sqlite:${folder}/dev.db`,
      PERGOLA_BOOTSTRAP_ADMIN_TOKEN_FILE: tokenFile,
      PERGOLA_LOG_FORMAT: 'pretty',
      PERGOLA_SERVER_STOP_DELAY: '0',
      ...process.env,
    },
  },
)
// A terminal sends Ctrl-C to the whole group; only what is sent to this process alone is handed on.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.on('exit', (code) => (process.exitCode = code ?? 1))
