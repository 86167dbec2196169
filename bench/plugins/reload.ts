import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readPeople } from '../../packages/cli/src/dev/people-file.ts'
import { createPlugin } from '../../packages/create-pergola-plugin/src/create-plugin.ts'
import { startPergola } from '../../tests/end-to-end/pergola-process.ts'
import { median, spread } from '../measure/statistics.ts'
import type { Part } from '../measure/part.ts'

const repository = resolve(import.meta.dirname, '../..')
const bar = 1_000
const times = 20
/** Polling interval; each poll is a request that causes two more, on the measured cores. */
const lookMs = 40
const stats = '/apis/console.api.reload.example.com/v1alpha1/reloads/-/stats'

/** Time from saving a file until its route gives the new response, for a new plugin in `pergola dev`. */
export const reload: Part = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-reload-'))
  try {
    createPlugin(folder, { name: 'reload', group: 'reload.example.com', version: '1.0.0' })
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
    await using dev = startPergola({ directory: folder, args: ['dev', '--port', '0', '--inspect-port', '0'] })
    await dev.url()
    const took = await savesOf(folder)
    const figure = `a save answers after ${median(took).toFixed(0)} ms (p50 of ${times}, bar ${bar})`
    console.log(`\n${figure}, ${spread(took)} ms`)
    return { figure, short: median(took) > bar ? [figure] : [] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function savesOf(folder: string): Promise<readonly number[]> {
  const file = join(folder, 'src/plugin.ts')
  const code = readFileSync(file, 'utf8')
  const { url = '', tokens = {} } = readPeople(folder) ?? {}
  const headers = { authorization: `Bearer ${tokens['admin']}` }
  const openNow = async () => {
    const answer = await fetch(`${url}${stats}`, { headers })
    return ((await answer.json()) as { readonly open?: number }).open ?? 0
  }
  const took: number[] = []
  // The first one warms up.
  for (let at = 0; at <= times; at++) {
    const first = (at + 1) * 1_000
    const began = performance.now()
    writeFileSync(file, code.replace('open: await', `open: ${first} + await`))
    while ((await openNow()) < first) await sleep(lookMs)
    if (at > 0) took.push(performance.now() - began)
  }
  return took
}
