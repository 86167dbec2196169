import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { copyRepository } from '../repository-copy.ts'
import { parseBlocks, unmetExpectation, type RunnableBlock } from './runnable-blocks.ts'

/**
 * Runs what the documents tell people to type, each in a fresh copy of the repository, and compares what they are told
 * to see. All blocks of a document share one shell, as they would in somebody's terminal. Documents are set up side by side;
 * what follows runs one document at a time, because the servers of all of them listen on the same port.
 */
const setup = 'npm run setup'
const documents = [
  'README.md',
  'docs/how-to/watch.md',
  'docs/tutorial/index.md',
  'packages/client/README.md',
  'packages/plugin-sdk/README.md',
]
const named = process.argv.slice(2)
const chosen = documents.filter((file) => named.length === 0 || named.includes(file))

const locks = mkdtempSync(join(tmpdir(), 'pergola-docs-lock-'))
const outcomes = await Promise.all(chosen.map(runDocument))
rmSync(locks, { recursive: true })
process.exitCode = outcomes.every((isSound) => isSound) ? 0 : 1

/** Answers whether it is as the document says. */
async function runDocument(file: string): Promise<boolean> {
  const blocks = parseBlocks(readFileSync(file, 'utf8'))
  if (!blocks[0]?.code.startsWith(setup)) throw new Error(`${file} does not begin with "${setup}"`)
  const { faults, seconds } = await runBlocks(blocks)
  for (const fault of faults) console.log(`${file}: ${fault}`)
  console.log(`${file}: ${blocks.length} blocks in ${seconds.toFixed(1)} s, ${faults.length} faults`)
  return faults.length === 0
}

async function runBlocks(blocks: readonly RunnableBlock[]): Promise<{ faults: string[]; seconds: number }> {
  using copy = copyRepository()
  const outputs = mkdtempSync(join(tmpdir(), 'pergola-docs-'))
  const outputOf = (at: number) => join(outputs, `${at}`)
  const lines = blocks.map(({ code }, at) => `{\n${code}\n} >"${outputOf(at)}" 2>&1`).join('\n')
  // Servers inherit the lock, so that it is let go when the last of them has ended.
  const script = `exec 9>"${join(locks, 'port')}"\n${lines.replace(setup, `${setup}\nflock 9`)}`
  const started = performance.now()
  try {
    const status = await runShell(`set -euo pipefail\n${script}`, copy.path)
    const seconds = (performance.now() - started) / 1000
    const printed = blocks.map((_, at) => (existsSync(outputOf(at)) ? readFileSync(outputOf(at), 'utf8') : undefined))
    const unmet = blocks.flatMap((block, at) => unmetExpectation(block, printed[at]) ?? [])
    const broken =
      status === 0
        ? []
        : [`the shell ended with ${status} after:\n${printed.findLast((text) => text !== undefined) ?? ''}`]
    return { faults: [...broken, ...unmet], seconds }
  } finally {
    rmSync(outputs, { recursive: true })
  }
}

/** The shell gets a group of its own, and whatever it left running ends with it. */
async function runShell(script: string, cwd: string): Promise<number | null> {
  const shell = spawn('bash', ['-c', script], { cwd, env: plainEnvironment(cwd), stdio: 'ignore', detached: true })
  const end = () => {
    try {
      process.kill(-Number(shell.pid), 'SIGTERM')
    } catch {
      // Nothing is left of the group.
    }
  }
  const timer = setTimeout(end, 1_800_000)
  await once(shell, 'exit')
  clearTimeout(timer)
  end()
  return shell.exitCode
}

/**
 * As on a person's machine: without what this repository and npm have put on the PATH and into the environment. What logins
 * leave goes with the copy.
 */
function plainEnvironment(cwd: string): NodeJS.ProcessEnv {
  const here = resolve('.')
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.startsWith(here))
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|PERGOLA_|NODE_OPTIONS|INIT_CWD)/.test(name))
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter), XDG_CONFIG_HOME: join(cwd, '.config') }
}
