import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { createPlugin } from '../../packages/create-pergola-plugin/src/create-plugin.ts'

/** As npm starts a command: through a shell that ends on SIGTERM without passing it on. */
const command = (program: string) => ['sh', ['-c', `${program}; true`]] as const
const main = resolve('packages/cli/src/main.ts')

const pergola = `"${process.execPath}" --conditions=@pergola/source "${main}"`

test.each([
  ['npx pergola serve', `${pergola} serve`],
  ['npm run dev in the repository', `"${process.execPath}" tools/dev.ts`],
  ["npm run dev in a plugin's folder", `cd "$PLUGIN" && ${pergola} dev --port 0 --no-inspect`],
])('SIGTERM to the shell of %s stops the server', async (_, program) => {
  const directory = mkdtempSync(join(tmpdir(), 'pergola-npm-'))
  const plugin = join(directory, 'note')
  createPlugin(plugin, { name: 'note', group: 'note.example.com', version: '0.9.0' })
  symlinkSync(resolve('node_modules'), join(plugin, 'node_modules'))
  const [shell, args] = command(program)
  const env = {
    PATH: process.env['PATH'],
    npm_command: 'exec',
    PLUGIN: plugin,
    PERGOLA_SERVER_PORT: '0',
    PERGOLA_DATABASE_URL: `sqlite:${directory}/test.db`,
  }
  // A separate process group, so that a server that does not stop is killed with the test.
  const child = spawn(shell, args, { env, stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  onTestFinished(() => {
    endGroup(child.pid)
    rmSync(directory, { recursive: true })
  })
  const ended = new Promise((settle) => child.stdout.once('close', settle))
  for await (const line of createInterface({ input: child.stdout })) if (/ready"|next {2}|seed {2}/.test(line)) break
  child.stdout.resume()
  child.kill('SIGTERM')
  // The pipe stays open while the server runs.
  await ended
  expect(child.signalCode).toBe('SIGTERM')
})

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL')
  } catch {
    // No process is left, as expected.
  }
}
