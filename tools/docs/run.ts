import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { copiesAfter, plainEnvironment } from './fresh-copies.ts'
import { continuedDocument, edited, parseBlocks, unmetExpectation, type RunnableBlock } from './runnable-blocks.ts'
import { openShell, type Shell } from './shell.ts'

/**
 * Runs the commands of the documents, each document in a fresh copy of the repository, and compares the output with the expected
 * lines. Runs the named documents, or every document with such blocks. A document that continues another one uses
 * its terminal. The setup, the first command of every document, runs once. Documents run one at a time, because their servers use
 * the same port.
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
const unprepared = chosen.filter(([first]) => !first?.blocks[0]?.code.startsWith(setup)).flat()
if (unprepared.length > 0) throw new Error(`not every document begins with "${setup}": ${namesOf(unprepared)}`)

await using copies = await copiesAfter(setup)
for (const chain of chosen) await follow(chain, copies.fresh())

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

/** Answers false when the shell has ended. */
async function perform(block: RunnableBlock, folder: string, shell: Shell): Promise<boolean> {
  if (block.kind === 'foreground') return shell.typeForeground(block.code)
  // The copy is set up.
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
