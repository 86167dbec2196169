import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { packPackages } from '../packages/pack.ts'
import { startRegistry } from '../registry/registry.ts'
import {
  continuedDocument,
  edited,
  neededPrograms,
  parseBlocks,
  unmetExpectation,
  type RunnableBlock,
} from './runnable-blocks.ts'
import { openShell, type Shell } from './shell.ts'

/**
 * Runs the commands of the documents as a new user would: each document in an empty folder, with the packages of the last
 * build from a registry, without access to this repository. Compares the output with the expected lines. Runs the named
 * documents, or every document with such blocks that needs nothing else. A document that continues another one uses its terminal. Documents run
 * one at a time, because their servers use the same port.
 */
interface Document {
  readonly file: string
  readonly blocks: readonly RunnableBlock[]
  readonly continues: string | undefined
  /** Programs that it needs besides. */
  readonly needs: readonly string[]
}

/** Timeout for an expected line; long, so that only missing lines reach it. */
const patienceMs = 300_000

const documents = readDocuments()
const named = process.argv.slice(2)
const unknown = named.filter((name) => documents.every(({ file }) => file !== name))
if (unknown.length > 0) throw new Error(`no command to run in ${unknown.join(', ')}; there are ${namesOf(documents)}`)

const chains = documents.filter(({ continues }) => continues === undefined).map(chainFrom)
const isPlain = (chain: readonly Document[]) => chain.every(({ needs }) => needs.length === 0)
const chosen = chains.filter((chain) =>
  named.length === 0 ? isPlain(chain) : chain.some(({ file }) => named.includes(file)),
)
const lacking = chosen
  .flatMap((chain) => chain.flatMap(({ needs }) => needs))
  .filter((program) => !isInstalled(program))
if (lacking.length > 0) throw new Error(`install ${lacking.join(', ')} first`)

await using resources = new AsyncDisposableStack()
const registry = resources.use(await startRegistry())
const packed = await packPackages(newFolder())
await Promise.all(packed.map(({ tarball }) => registry.publish(tarball)))
for (const chain of chosen) await follow(chain, newFolder())

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-document-'))
  resources.defer(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The environment of a terminal, without the variables of this run and the commands of this repository. Logins stay in the folder. */
function plainEnvironment(folder: string): NodeJS.ProcessEnv {
  const bin = resolve('node_modules/.bin')
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.startsWith(bin))
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|PERGOLA_|NODE_OPTIONS|INIT_CWD)/.test(name))
  return {
    ...Object.fromEntries(kept),
    PATH: [dirname(process.execPath), ...path].join(delimiter),
    XDG_CONFIG_HOME: join(folder, '.config'),
    PERGOLA_LOG_FORMAT: 'pretty',
    npm_config_registry: registry.url,
    npm_config_fund: 'false',
    npm_config_audit: 'false',
    // Answers a prompt with Enter.
    npm_config_yes: 'true',
  }
}

function readDocuments(): readonly Document[] {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md']
  const files = execFileSync('git', listing, { encoding: 'utf8' }).trim().split('\n')
  return files.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const blocks = parseBlocks(text)
    const before = continuedDocument(text)
    const needs = neededPrograms(text)
    return blocks.length === 0 ? [] : [{ file, blocks, needs, continues: before && join(dirname(file), before) }]
  })
}

function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$0"', program]).status === 0
}

function namesOf(list: readonly Document[]): string {
  return list.map(({ file }) => file).join(', ')
}

/** A document and those that continue it. */
function chainFrom(first: Document): readonly Document[] {
  return [first, ...documents.filter(({ continues }) => continues === first.file).flatMap(chainFrom)]
}

async function follow(chain: readonly Document[], folder: string): Promise<void> {
  await using shell = openShell(folder, plainEnvironment(folder))
  for (const { file, blocks } of chain) {
    const started = performance.now()
    for (const block of blocks) {
      const from = shell.shown().length
      const shown = () => shell.shown().slice(from)
      const isDone = await perform(block, folder, shell)
      const fault = isDone ? await unmetInTime(block, shown) : `"${block.code}" ended the shell:\n${shown()}`
      if (fault !== undefined) return fail(`${file}: ${fault}`)
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`${file}: ${blocks.length} blocks in ${seconds} s, 0 faults`)
  }
}

/** Returns false if the shell has ended. */
async function perform(block: RunnableBlock, folder: string, shell: Shell): Promise<boolean> {
  if (block.kind === 'foreground') return shell.typeForeground(block.code)
  if (block.kind === 'commands') return shell.type(block.code)
  const file = join(folder, block.file)
  writeFileSync(file, edited(readFileSync(file, 'utf8'), block))
  return true
}

/** Waits until the terminal shows the expected lines. */
async function unmetInTime(block: RunnableBlock, shown: () => string): Promise<string | undefined> {
  const end = performance.now() + patienceMs
  while (unmetExpectation(block, shown()) !== undefined && performance.now() < end) await sleep(50)
  return unmetExpectation(block, shown())
}

function fail(fault: string): void {
  console.log(fault)
  process.exitCode = 1
}
