import { existsSync, readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { checkFolder, checkGroup, checkName, createPlugin, FolderFault, WordFault } from './create-plugin.ts'

const usage = `Usage: npm create pergola-plugin <name> [-- --group <domain>]

Begins a plugin in a folder of its own.

  --group <domain>  API group of its models, a domain you own; prompted for if omitted
  --help            this text
`

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  try {
    return await create(args)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const isUsage = 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
    if (!isUsage && !(error instanceof WordFault || error instanceof FolderFault)) throw error
    process.stderr.write(`${error.message}\n`)
    return error instanceof FolderFault ? 2 : 1
  }
}

async function create(args: readonly string[]): Promise<number> {
  const options = { group: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  if (values.help) {
    process.stdout.write(usage)
    return 0
  }
  const [name, ...more] = positionals
  if (name === undefined || more.length > 0) {
    throw new WordFault('name the plugin, in one word:  npm create pergola-plugin todo')
  }
  checkName(name)
  checkFolder(name)
  const group = values.group ?? (await askGroup(name))
  const count = createPlugin(name, { name, group, version: ownVersion(), packages: packagesOfClone(name) })
  process.stdout.write(`  Wrote ${name}/ (${count} files).  Next:  cd ${name} && npm install && npm run dev\n`)
  return 0
}

/** Asks for the API group until the answer is valid. */
async function askGroup(name: string): Promise<string> {
  if (!process.stdin.isTTY) throw new WordFault('cannot prompt without a terminal; use --group <domain>')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    for (;;) {
      const suggested = `${name}.example.com`
      const answer = (await terminal.question(`  API group (a domain you own, such as ${suggested})  `)).trim()
      const fault = faultOf(answer)
      if (fault === undefined) return answer
      process.stdout.write(`  ${fault}\n`)
    }
  } finally {
    terminal.close()
  }
}

function faultOf(group: string): string | undefined {
  try {
    checkGroup(group)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Version of this package, which is released together with the SDK and the CLI. */
function ownVersion(): string {
  const text = readFileSync(`${import.meta.dirname}/../package.json`, 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}

/** Undefined if this command was installed from a registry. */
function packagesOfClone(folder: string): string | undefined {
  const packages = resolve(import.meta.dirname, '../..')
  return existsSync(resolve(packages, 'plugin-sdk/src')) && existsSync(resolve(packages, '../package-lock.json'))
    ? relative(resolve(folder), packages)
    : undefined
}
