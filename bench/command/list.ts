import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, startPostgres } from '@pergola/test-servers'
import { startInstallation, type Installation } from '../../tests/end-to-end/cli-installation.ts'
import { todoModel } from '../../tests/end-to-end/cli-todos.ts'
import { fillTable } from '../../tests/end-to-end/fill-table.ts'
import type { Part } from '../measure/part.ts'

const command = join(import.meta.dirname, '../../packages/cli/src/main.ts')
const firstLineMs = 1_000
/** Allowed memory growth while the output is not read. */
const mostGrowthMb = 20
const readBytes = 4 * 1024 * 1024
const heldMs = 5_000

/** Prints very many objects to a reader that pauses. */
export const list: Part = async ({ quick }) => {
  const count = quick ? 100_000 : 1_000_000
  await using server = await startPostgres('18', { durable: true })
  await using database = await createDatabase(server.url)
  await using installation = await startInstallation({ databaseUrl: database.url })
  await installation.done(['apply', '-f', 'model.yaml'], { files: { 'model.yaml': todoModel } })
  await fillTable(database.url, { plural: 'todos', storedAs: 'v1alpha1', count, isIndexed: false })
  const { firstMs, growthMb } = await readSlowly(installation)
  const figure = `list of ${count} objects: the first line after ${firstMs.toFixed(0)} ms (bar ${firstLineMs}), ${growthMb.toFixed(1)} MB more while nobody reads (bar ${mostGrowthMb})`
  console.log(figure)
  return { figure, short: firstMs > firstLineMs || growthMb > mostGrowthMb ? [figure] : [] }
}

async function readSlowly({ folder, env }: Installation): Promise<{ firstMs: number; growthMb: number }> {
  const began = performance.now()
  const listing = spawn(process.execPath, ['--conditions=@pergola/source', command, 'list', 'todos'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { stdout, pid = 0 } = listing
  const ended = once(listing, 'exit').then(([code]) => Promise.reject(new Error(`pergola list ended with ${code}`)))
  const more = () => Promise.race([once(stdout, 'readable'), ended])
  try {
    await more()
    const firstMs = performance.now() - began
    for (let read = 0; read < readBytes;) {
      const chunk = stdout.read() as Buffer | null
      if (chunk === null) await more()
      else read += chunk.length
    }
    const before = memoryMb(pid)
    await sleep(heldMs)
    return { firstMs, growthMb: memoryMb(pid) - before }
  } finally {
    listing.kill()
    await ended.catch(() => {})
  }
}

function memoryMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}
