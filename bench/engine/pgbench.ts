import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseCpuSeconds } from '../measure/cpu.ts'

const command = ['/usr/lib/postgresql/15/bin/pgbench', '/usr/bin/pgbench'].find((path) => existsSync(path))

export interface EngineRound {
  readonly perSecond: number
  /** Microseconds of database CPU per operation. */
  readonly cpu: number
}

/** Runs one script for some seconds, prepared, over several connections. */
export async function pgbench(
  url: string,
  script: string,
  { callers, seconds }: { readonly callers: number; readonly seconds: number },
): Promise<EngineRound> {
  if (command === undefined) throw new Error('there is no pgbench: apt-get install postgresql-15')
  const folder = mkdtempSync(join(tmpdir(), 'pergola-pgbench-'))
  try {
    const file = join(folder, 'script.sql')
    writeFileSync(file, script)
    const before = databaseCpuSeconds()
    const args = [
      '--no-vacuum',
      '--protocol=prepared',
      `--client=${callers}`,
      `--time=${seconds}`,
      `--file=${file}`,
      url,
    ]
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    child.stdout.on('data', (chunk) => (printed += String(chunk)))
    child.stderr.on('data', (chunk) => (printed += String(chunk)))
    await once(child, 'close')
    const [, tps] = /tps = ([\d.]+) \(without/.exec(printed) ?? []
    const [, count] = /transactions actually processed: (\d+)/.exec(printed) ?? []
    const [, failed = '0'] = /failed transactions: (\d+)/.exec(printed) ?? []
    if (child.exitCode !== 0 || tps === undefined || failed !== '0') throw new Error(`pgbench: ${printed}`)
    return { perSecond: Number(tps), cpu: ((databaseCpuSeconds() - before) * 1e6) / Number(count) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
