import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { performanceLink } from './docs/performance/link.ts'

/** A suite that shows a promise. */
export interface Proof {
  readonly name: string
  readonly shows: string
  readonly command: string
}

export interface Outcome {
  readonly name: string
  readonly passed: boolean
  /** The last output line with a number. */
  readonly figure: string
  readonly run: { readonly seconds: string; readonly date: string; readonly commit: string; readonly steal: string }
}

const results = 'docs/operations/proofs.md'
const columns = ['Suite', 'Shows', 'Result', 'Last line printed', 'Seconds', 'Date', 'Commit', 'Steal']

/** Replaces the rows of the suites that ran. A failed promise without `--why` keeps its old row. */
export function recordProofs(proofs: readonly Proof[], outcomes: readonly Outcome[], why: string | undefined): void {
  const old = existsSync(results) ? readFileSync(results, 'utf8').split('\n') : []
  const rows = proofs.flatMap((proof) => {
    const outcome = outcomes.find(({ name }) => name === proof.name)
    const cells = outcome && cellsOf(proof, outcome, why)
    if (!cells) return old.filter((line) => line.startsWith(`| ${proof.name} |`))
    return [`| ${cells.map((cell) => cell.replaceAll('|', '/')).join(' | ')} |`]
  })
  writeFileSync(results, [...head(), ...rows, ''].join('\n'))
}

function head(): readonly string[] {
  return [
    '# Proofs',
    '',
    'Results of `npm run proofs -- --record`, the suites that are too long for every change. Steal is the share of CPU time that other',
    'machines took meanwhile (`/proc/stat`). Each passes, or says why it does not.',
    '',
    '<!-- generated: performance -->',
    performanceLink('performance.md'),
    '<!-- end -->',
    '',
    `| ${columns.join(' | ')} |`,
    `|${'---|'.repeat(columns.length)}`,
  ]
}

function cellsOf(
  { name, shows }: Proof,
  { passed, figure, run }: Outcome,
  why: string | undefined,
): readonly string[] | undefined {
  if (!passed && why === undefined) {
    console.error(`${name} has failed; it is recorded only with --why="<sentence>"`)
    return undefined
  }
  const result = passed ? 'passed' : `FAILED: ${why}`
  return [name, shows, result, figure, run.seconds, run.date, run.commit, run.steal]
}
