import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { recordProofs, type Outcome, type Proof } from './record-proofs.ts'
import { runCommand } from './run-command.ts'

/**
 * Runs the suites that are too slow for the gate. `--list` lists them, names select some, `--record` writes the results to
 * `docs/operations/proofs.md`; a failed promise is recorded only with `--why="<sentence>"`. Exits with 0 if no promise failed.
 */
const proofs: readonly Proof[] = [
  test('postgres-15', 'the store contract on PostgreSQL 15', 'postgres-store-15'),
  test('pgbouncer', 'the store contract behind PgBouncer in transaction mode', 'postgres-store-pooled'),
  test('schema', 'the store contract in a schema of its own', 'postgres-store-schema'),
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
    name: 'references',
    shows: '10,000 races of creates and deletions on two replicas: no dangling reference, no deadlock',
    command: 'npm run -s faults -- references',
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
    shows: 'hostile plugins and killed controllers make no request to others fail',
    command: 'npm run -s faults -- plugins --quick',
  },
  {
    name: 'cluster-faults',
    shows: 'fail-over, full disk, restore: nothing acknowledged is lost',
    command: 'npm run -s faults -- cluster --quick',
  },
  {
    name: 'rolling',
    shows: 'a rolling upgrade of three replicas and a rollback under load fail no request and lose no write',
    command: 'npm run -s faults -- rolling',
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
  {
    name: 'troubleshooting',
    shows: 'three servers behind haproxy: each fault and its cure as the guide says',
    command: 'npm run -s docs:run -- docs/operations/troubleshooting.md',
  },
  test('plantable', 'every planted fault still has its place in the code', 'planted/faults.proof'),
  { name: 'planted', shows: 'planted faults turn checks red', command: 'npm run -s planted' },
  {
    name: 'planted-conformance',
    shows: 'each broken promise turns its test red',
    command: 'npm run -s planted -- conformance',
  },
]

const words = process.argv.slice(2)
const names = words.filter((word) => !word.startsWith('--'))
const unknown = names.filter((name) => proofs.every((proof) => proof.name !== name))
const width = Math.max(...proofs.map(({ name }) => name.length))

if (unknown.length > 0) {
  console.error(`no proof is called ${unknown.join(', ')}; npm run proofs -- --list`)
  process.exitCode = 2
} else if (words.includes('--list') && words.includes('--json')) {
  console.log(JSON.stringify(proofs.map(({ name }) => name)))
} else if (words.includes('--list')) {
  for (const { name, shows } of proofs) console.log(`${name.padEnd(width)}  ${shows}`)
  console.log(`${proofs.length} proofs`)
} else {
  const chosen = proofs.filter(({ name }) => names.length === 0 || names.includes(name))
  const why = words.find((word) => word.startsWith('--why='))?.slice('--why='.length)
  const outcomes: Outcome[] = []
  for (const proof of chosen) {
    outcomes.push(await prove(proof))
    if (words.includes('--record')) recordProofs(proofs, outcomes, why)
  }
  const failed = outcomes.filter(({ passed }) => !passed).length
  console.log(`\n${chosen.length} proofs: ${failed} promises failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

function test(name: string, shows: string, file: string): Proof {
  return { name, shows, command: `npx vitest run --project proofs ${file}` }
}

async function prove({ name, command }: Proof): Promise<Outcome> {
  const before = cpuTicks()
  const { passed, output, seconds } = await runCommand(command)
  const after = cpuTicks()
  const steal = (100 * (after.stolen - before.stolen)) / Math.max(1, after.all - before.all)
  const commit = (await runCommand('git rev-parse --short HEAD')).output.trim()
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .map((line) => line.trim())
  // Vitest prints durations last.
  const figure = lines.findLast((line) => /\d/.test(line) && !/^(Start at|Duration) /.test(line)) ?? ''
  if (!passed) console.log(output)
  console.log(`${passed ? 'passed' : 'FAILED'} ${name.padEnd(width)} ${seconds.toFixed(0).padStart(5)} s  ${figure}`)
  const date = new Date().toISOString().slice(0, 10)
  const run = { seconds: seconds.toFixed(0), date, commit, steal: `${steal.toFixed(0)} %` }
  return { name, passed, figure, run }
}

function cpuTicks(): { stolen: number; all: number } {
  const ticks = readFileSync('/proc/stat', 'utf8').split('\n')[0]?.split(/\s+/).slice(1, 9).map(Number) ?? []
  return { stolen: ticks[7] ?? 0, all: ticks.reduce((sum, value) => sum + value, 0) }
}
