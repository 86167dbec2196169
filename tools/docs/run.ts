import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { copyRepository } from '../repository-copy.ts'
import { continuedDocument, edited, parseBlocks, unmetExpectation, type RunnableBlock } from './runnable-blocks.ts'
import { openShell, type Shell } from './shell.ts'

/**
 * Runs the commands of the documents, each document in a fresh copy of the repository, and compares the output with the expected
 * lines. Runs the named documents, or every document with such blocks. A document that continues another one uses
 * its terminal. Documents are set up in parallel and then run one at a time, because their servers use the same port.
 */
interface Document {
  readonly file: string
  readonly blocks: readonly RunnableBlock[]
  readonly continues: string | undefined
}

const setup = 'npm run setup'
/** Timeout for an expected line; long, so that only missing lines reach it. */
const patienceMs = 120_000

const documents = readDocuments()
const named = process.argv.slice(2)
const unknown = named.filter((name) => documents.every(({ file }) => file !== name))
if (unknown.length > 0) throw new Error(`no command to run in ${unknown.join(', ')}; there are ${namesOf(documents)}`)

const chains = documents.filter(({ continues }) => continues === undefined).map(chainFrom)
const chosen = chains.filter((chain) => named.length === 0 || chain.some(({ file }) => named.includes(file)))
const begun = await Promise.allSettled(chosen.map(begin))
for (const outcome of begun) {
  if (outcome.status === 'rejected') fail(String(outcome.reason))
  else await follow(outcome.value)
}

function readDocuments(): readonly Document[] {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md']
  const files = execFileSync('git', listing, { encoding: 'utf8' }).trim().split('\n')
  return files.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const blocks = parseBlocks(text)
    const before = continuedDocument(text)
    return blocks.length === 0 ? [] : [{ file, blocks, continues: before && join(dirname(file), before) }]
  })
}

function namesOf(list: readonly Document[]): string {
  return list.map(({ file }) => file).join(', ')
}

/** A document and those that continue it. */
function chainFrom(first: Document): readonly Document[] {
  return [first, ...documents.filter(({ continues }) => continues === first.file).flatMap(chainFrom)]
}

interface Begun {
  readonly chain: readonly Document[]
  readonly folder: string
  readonly shell: Shell
  readonly resources: AsyncDisposableStack
}

/** Copies the repository and sets it up, as the first line of every document says. */
async function begin(chain: readonly Document[]): Promise<Begun> {
  const [first] = chain
  if (!first?.blocks[0]?.code.startsWith(setup)) throw new Error(`${first?.file} does not begin with "${setup}"`)
  const resources = new AsyncDisposableStack()
  const folder = resources.use(copyRepository()).path
  const shell = resources.use(openShell(folder, plainEnvironment(folder)))
  if (!(await shell.type(setup))) {
    await resources.disposeAsync()
    throw new Error(`${first.file}: "${setup}" failed:\n${shell.shown()}`)
  }
  return { chain, folder, shell, resources }
}

async function follow({ chain, folder, shell, resources }: Begun): Promise<void> {
  await using _ = resources
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

/** Answers false when the shell has ended. */
async function perform(block: RunnableBlock, folder: string, shell: Shell): Promise<boolean> {
  if (block.kind === 'foreground') return shell.typeForeground(block.code)
  // `begin` has run the setup.
  if (block.kind === 'commands') return shell.type(`:\n${block.code.replace(setup, '')}`)
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

/**
 * A clean environment, without the variables and PATH entries of this repository and npm. Files of logins
 * are in the copy.
 */
function plainEnvironment(cwd: string): NodeJS.ProcessEnv {
  const here = resolve('.')
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.startsWith(here))
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|PERGOLA_|NODE_OPTIONS|INIT_CWD)/.test(name))
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter), XDG_CONFIG_HOME: join(cwd, '.config') }
}
