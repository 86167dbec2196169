import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { runCommand } from './run-command.ts'

/**
 * Runs the suites that are too long for the gate. `--list` lists them, names select some, `--record` writes the results to
 * `docs/operations/proofs.md`. Exits with 0 only if every selected proof passed.
 */
interface Proof {
  readonly name: string
  readonly shows: string
  readonly command: string
}

const proofs: readonly Proof[] = [
  test('postgres-15', 'the store contract on PostgreSQL 15', 'postgres-store-15'),
  test('pgbouncer', 'the store contract behind PgBouncer in transaction mode', 'postgres-store-pooled'),
  test('graceful-stop', 'SIGTERM under load cuts no request', 'graceful-stop'),
  test('administer', 'commands on the database itself, on both engines', 'end-to-end/administer'),
  test('upgrade', 'upgrade and rollback of plugins, whole lives', 'end-to-end/plugin-upgrade'),
  test('dev', 'pergola dev: reload, bad saves, logs', 'end-to-end/dev.proof'),
  test('store-checker', 'the checker of stored data finds planted damage', 'store-checker'),
  {
    name: 'properties',
    shows: 'property tests with 20 times as many cases',
    command: 'CASES=20 npx vitest run --project unit property selector request-info json-body index-key',
  },
  { name: 'coverage', shows: 'the tests cover 90 % of lines', command: 'npm run -s test:coverage' },
  {
    name: 'ordering',
    shows: '50,000 changes by 20 writers: none lost, none out of order',
    command: 'npm run -s faults -- ordering --quick',
  },
  {
    name: 'store-faults',
    shows: 'killed writers and databases lose no acknowledged write',
    command: 'npm run -s faults -- store --quick',
  },
  {
    name: 'fuzz',
    shows: 'hostile requests find no 500 and no leak',
    command: 'npm run -s conformance -- fuzz --quick --seed=11',
  },
  {
    name: 'watch-20000',
    shows: '20,000 changes on three replicas: watches lose, repeat and reorder nothing',
    command: 'npm run -s faults -- watch --calm --rounds=1 --changes=20000 --seed=2',
  },
  {
    name: 'watch-histories',
    shows: 'three replicas under faults: watches lose, repeat and reorder nothing',
    command: 'npm run -s faults -- watch --quick',
  },
  {
    name: 'plugin-faults',
    shows: 'hostile plugins and killed controllers harm nobody else',
    command: 'npm run -s faults -- plugins --quick',
  },
  {
    name: 'cluster-faults',
    shows: 'fail-over, full disk, restore: nothing acknowledged is lost',
    command: 'npm run -s faults -- cluster --quick',
  },
  {
    name: 'client-cache',
    shows: 'a cached list in the client follows the server through kills',
    command: 'npm run -s faults -- cache --quick',
  },
  {
    name: 'console',
    shows: 'journeys through the console in Chromium',
    command: 'npm run -s build && npm run -s test:console',
  },
  { name: 'walk', shows: 'the whole line once, on both engines', command: 'npm run -s walk' },
  {
    name: 'outside',
    shows: 'a stranger with the packages from a registry: a plugin from nothing, packed, installed, upgraded',
    command: 'npm run -s packages && npm run -s docs:run -- README.md docs/tutorial/index.md docs/tutorial/upgrade.md',
  },
  {
    name: 'guides',
    shows: 'the commands of every document',
    command: 'npm run -s docs:run',
  },
  test('plantable', 'every planted fault still has its place in the code', 'planted/faults.proof'),
  { name: 'planted', shows: 'planted faults turn checks red', command: 'npm run -s planted' },
  {
    name: 'planted-conformance',
    shows: 'each broken promise turns its test red',
    command: 'npm run -s planted -- conformance',
  },
  { name: 'bench-store', shows: 'CPU per operation of the store', command: 'npm run -s bench -- store --quick' },
  { name: 'bench-http', shows: 'CPU per request of the API', command: 'npm run -s bench -- http --quick' },
  { name: 'bench-watch', shows: 'cost of a watcher and of an event', command: 'npm run -s bench -- watch --quick' },
  {
    name: 'bench-plugins',
    shows: 'start, memory and request cost of plugins',
    command: 'npm run -s bench -- plugins --quick',
  },
  { name: 'bench-authz', shows: 'cost of an access decision', command: 'npm run -s bench -- authz --quick' },
]

const results = 'docs/operations/proofs.md'
const words = process.argv.slice(2)
const names = words.filter((word) => !word.startsWith('--'))
const unknown = names.filter((name) => proofs.every((proof) => proof.name !== name))
const width = Math.max(...proofs.map(({ name }) => name.length))

if (unknown.length > 0) {
  console.error(`no proof is called ${unknown.join(', ')}; npm run proofs -- --list`)
  process.exitCode = 2
} else if (words.includes('--list')) {
  for (const { name, shows } of proofs) console.log(`${name.padEnd(width)}  ${shows}`)
  console.log(`${proofs.length} proofs`)
} else {
  const chosen = proofs.filter(({ name }) => names.length === 0 || names.includes(name))
  const rows: string[][] = []
  for (const proof of chosen) {
    rows.push(await prove(proof))
    if (words.includes('--record')) record(rows)
  }
  const passed = rows.filter(([, verdict]) => verdict === 'passed').length
  console.log(`\n${passed} of ${chosen.length} proofs`)
  process.exitCode = passed === chosen.length ? 0 : 1
}

function test(name: string, shows: string, file: string): Proof {
  return { name, shows, command: `npx vitest run --project proofs ${file}` }
}

/** Name, verdict, last line, seconds, date, commit, steal. */
async function prove({ name, command }: Proof): Promise<string[]> {
  const before = cpuTicks()
  const { passed, output, seconds } = await runCommand(command)
  const after = cpuTicks()
  const steal = (100 * (after.stolen - before.stolen)) / Math.max(1, after.all - before.all)
  const commit = (await runCommand('git rev-parse --short HEAD')).output.trim()
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .map((line) => line.trim())
  // Vitest prints times last.
  const figure = lines.findLast((line) => /\d/.test(line) && !/^(Start at|Duration) /.test(line)) ?? ''
  if (!passed) console.log(output)
  console.log(`${passed ? 'passed' : 'FAILED'} ${name.padEnd(width)} ${seconds.toFixed(0).padStart(5)} s  ${figure}`)
  const date = new Date().toISOString().slice(0, 10)
  return [
    name,
    passed ? 'passed' : 'FAILED',
    figure.replaceAll('|', '/'),
    seconds.toFixed(0),
    date,
    commit,
    `${steal.toFixed(0)} %`,
  ]
}

/** Replaces the rows of the proofs that ran, and keeps the others. */
function record(rows: readonly string[][]): void {
  const head = [
    '# Proofs',
    '',
    'Results of `npm run proofs -- --record`, the suites that are too long for every change. Steal is the share of CPU time that other',
    'machines took meanwhile (`/proc/stat`): above 10 %, trust only verdicts and ratios.',
    '',
    '| Proof | Result | Last line printed | Seconds | Date | Commit | Steal |',
    '|---|---|---|---|---|---|---|',
  ]
  const old = existsSync(results) ? readFileSync(results, 'utf8').split('\n') : []
  const kept = (name: string) => old.find((line) => line.startsWith(`| ${name} |`))
  const lines = proofs.flatMap(({ name }) => {
    const row = rows.find(([of]) => of === name)
    return row ? [`| ${row.join(' | ')} |`] : (kept(name) ?? [])
  })
  writeFileSync(results, [...head, ...lines, ''].join('\n'))
}

function cpuTicks(): { stolen: number; all: number } {
  const ticks = readFileSync('/proc/stat', 'utf8').split('\n')[0]?.split(/\s+/).slice(1, 9).map(Number) ?? []
  return { stolen: ticks[7] ?? 0, all: ticks.reduce((sum, value) => sum + value, 0) }
}
