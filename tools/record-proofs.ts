import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** A suite that shows a promise, or measures speed. */
export interface Proof {
  readonly name: string
  readonly shows: string
  readonly command: string
  /** For a suite that only measures speed: the reason why it misses goals. */
  readonly limitedBy?: string
  /** A speed goal that the suite of a promise also measures. */
  readonly speed?: {
    readonly name: string
    readonly goal: string
    readonly figure: RegExp
    readonly limitedBy: string
  }
}

export interface Outcome {
  readonly name: string
  /** False for a suite that only measures speed. */
  readonly isPromise: boolean
  readonly passed: boolean
  /** The last output line with a number. */
  readonly figure: string
  readonly speedFigure: string
  readonly run: { readonly seconds: string; readonly date: string; readonly commit: string; readonly steal: string }
}

const results = 'docs/operations/proofs.md'

const head = [
  '# Proofs',
  '',
  'Results of `npm run proofs -- --record`, the suites that are too long for every change. Steal is the share of CPU time that other',
  'machines took meanwhile (`/proc/stat`): above 10 %, trust only verdicts and ratios.',
]

const promises = {
  title: 'Promises',
  words: 'Each passes, or says why it does not.',
  columns: ['Suite', 'Shows', 'Result', 'Last line printed', 'Seconds', 'Date', 'Commit', 'Steal'],
}

const speedGoals = {
  title: 'Speed goals',
  words: 'Goals, not promises: measured on a small machine that others use, too. Nothing fails when one is missed.',
  columns: ['Suite', 'Goal', 'Figure', 'What limits it', 'Date', 'Commit', 'Steal'],
}

/** Replaces the rows of the suites that ran. A failed promise without `--why` keeps its old row. */
export function recordProofs(proofs: readonly Proof[], outcomes: readonly Outcome[], why: string | undefined): void {
  const old = existsSync(results) ? readFileSync(results, 'utf8').split('\n') : []
  const kept = (name: string) => old.filter((line) => line.startsWith(`| ${name} |`))
  const rowOf = (name: string, row: (outcome: Outcome) => readonly string[] | undefined): readonly string[] => {
    const outcome = outcomes.find((one) => one.name === name)
    const cells = outcome && row(outcome)
    return cells ? [`| ${cells.map((cell) => cell.replaceAll('|', '/')).join(' | ')} |`] : []
  }
  const written = (name: string, rows: readonly string[]) => (rows.length > 0 ? rows : kept(name))
  const ofPromises = proofs
    .filter(({ limitedBy }) => limitedBy === undefined)
    .flatMap((proof) =>
      written(
        proof.name,
        rowOf(proof.name, (outcome) => promiseCells(proof, outcome, why)),
      ),
    )
  const ofSpeed = proofs.flatMap((proof) => {
    const goal = goalOf(proof)
    return goal
      ? written(
          goal.name,
          rowOf(proof.name, (outcome) => speedCells(goal, outcome)),
        )
      : []
  })
  const text = [...head, ...section(promises, ofPromises), ...section(speedGoals, ofSpeed), '']
  writeFileSync(results, text.join('\n'))
}

function section({ title, words, columns }: typeof promises, rows: readonly string[]): readonly string[] {
  return ['', `## ${title}`, '', words, '', `| ${columns.join(' | ')} |`, `|${'---|'.repeat(columns.length)}`, ...rows]
}

function promiseCells(
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

interface Goal {
  readonly name: string
  readonly goal: string
  readonly limitedBy: string
  readonly figureOf: (outcome: Outcome) => string
}

function goalOf({ name, shows, limitedBy, speed }: Proof): Goal | undefined {
  if (speed) return { ...speed, figureOf: ({ speedFigure }) => speedFigure }
  return limitedBy === undefined ? undefined : { name, goal: shows, limitedBy, figureOf: ({ figure }) => figure }
}

function speedCells({ name, goal, limitedBy, figureOf }: Goal, outcome: Outcome): readonly string[] {
  const { date, commit, steal } = outcome.run
  return [name, goal, figureOf(outcome), limitedBy, date, commit, steal]
}
