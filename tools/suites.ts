import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** The long-running commands. A suite without a file fails with a message. */
const suites: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  conformance: 'tests/conformance/run.ts',
  security: 'tests/security/run.ts',
  walk: 'tests/walk/run.ts',
  'test:console': 'tests/console/run.ts',
  bench: named('bench', [
    'store',
    'http',
    'authz',
    'audit',
    'watch',
    'feed',
    'scale',
    'growth',
    'plugins',
    'command',
    'commits',
    'engine',
    'references',
    'compression',
    'peers',
  ]),
  faults: named('tests/faults', ['ordering', 'store', 'watch', 'plugins', 'cluster']),
}

/** Suites that a command runs only by name. */
const besides: Readonly<Record<string, string>> = {
  'conformance fuzz': 'tests/fuzz/run.ts',
  'faults cache': 'tests/faults/client-cache.ts',
  'faults rolling': 'tests/faults/rolling.ts',
  'faults references': 'tests/faults/references.ts',
}

const [command = '', ...rest] = process.argv.slice(2)
const beside = besides[`${command} ${rest[0]}`]
if (beside !== undefined) rest.shift()
const choice = beside ?? suites[command]
if (choice === undefined) throw new Error(`tools/suites.ts knows ${Object.keys(suites).join(', ')}; not "${command}"`)
const file = typeof choice === 'string' ? choice : choice[rest.shift() ?? '']

if (file === undefined) {
  console.error(`npm run ${command} -- <suite> [--quick]; suites are ${Object.keys(choice).join(', ')}`)
  process.exitCode = 2
} else if (existsSync(file)) {
  // Caches compiled code, because suites start many servers from the same sources.
  const env = { NODE_COMPILE_CACHE: resolve('node_modules/.cache/compiled'), ...process.env }
  const { status } = spawnSync(process.execPath, ['--conditions=@pergola/source', file, ...rest], {
    env,
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
} else {
  console.error(`there is no such suite yet; it will be ${file}`)
  process.exitCode = 1
}

function named(folder: string, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, `${folder}/${name}.ts`]))
}
