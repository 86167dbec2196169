import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/** The server from its sources, restarted on every save; the database is kept between runs. */
const folder = '.pergola'

mkdirSync(folder, { recursive: true })

const child = spawn(
  process.execPath,
  [
    '--watch',
    '--watch-preserve-output',
    '--conditions=@pergola/source',
    'packages/cli/src/main.ts',
    'serve',
    ...process.argv.slice(2),
  ],
  {
    stdio: 'inherit',
    env: {
      PERGOLA_DATABASE_URL: `sqlite:${folder}/dev.db`,
      PERGOLA_LOG_FORMAT: 'pretty',
      PERGOLA_SERVER_STOP_DELAY: '0',
      ...process.env,
    },
  },
)
// A terminal sends Ctrl-C to the whole process group, so only signals to this process alone are forwarded.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
// npm starts a script through a shell that does not forward signals; when that shell is gone, the script ends.
const parent = process.ppid
const orphaned = setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 250)
child.on('exit', (code) => {
  clearInterval(orphaned)
  process.exitCode = code ?? 1
})
