import type { Result } from '../../../bench/measure/result.ts'
import { figureText, ratioText, withUnit } from './figure-text.ts'

/** A figure and the highest value that we want. */
interface Goal {
  readonly figure: number
  readonly goal: number
  readonly callers?: number
}

/** The goals for one operation, one for each number of callers; or for one fact. */
export interface GoalGroup {
  readonly what: string
  /** What the CPU is compared with. */
  readonly beside?: string | undefined
  readonly goals: readonly Goal[]
  readonly textOf: (values: readonly number[]) => string
}

export function goalGroups({ rows = [], facts = [] }: Pick<Result, 'rows' | 'facts'>): readonly GoalGroup[] {
  const ofRows = [...Map.groupBy(rows, ({ operation }) => operation)].map(([operation, some]) => ({
    what: operation,
    beside: some[0]?.figures.at(-1)?.name,
    goals: some.flatMap(({ figures: [ours], goal, callers }) =>
      ours && goal !== undefined ? [{ figure: ours.ratio, goal, callers }] : [],
    ),
    textOf: (values: readonly number[]) => withUnit(listed(values.map(ratioText)), '×'),
  }))
  const ofFacts = facts.map(({ what, value, unit, goal }) => ({
    what,
    goals: goal === undefined ? [] : [{ figure: value, goal }],
    textOf: (values: readonly number[]) => withUnit(listed(values.map(figureText)), unit),
  }))
  return [...ofRows, ...ofFacts].filter(({ goals }) => goals.length > 0)
}

export function listed(words: readonly string[]): string {
  return onOneLine(words.join(', '))
}

export function isReached({ figure, goal }: Goal): boolean {
  return figure <= goal
}

/** Reached or missed, and by how much. */
export function outcome(goal: Goal): string {
  const word = isReached(goal) ? 'reached' : '**missed**'
  const by = difference(goal)
  return by === 0 ? word : onOneLine(`${word} by ${percentText(by)}`)
}

/** One outcome for the goals of a group. */
export function groupOutcome(goals: readonly Goal[]): string {
  const [first] = goals
  if (first && goals.length === 1) return outcome(first)
  const missed = goals.filter((goal) => !isReached(goal)).length
  return missed === 0 ? 'reached' : onOneLine(`**${missed} of ${goals.length} missed**`)
}

/** Share of the goal; 0 also for a goal of 0, which has no share. */
function difference({ figure, goal }: Goal): number {
  return goal === 0 ? 0 : Math.abs(figure / goal - 1)
}

function percentText(share: number): string {
  return share < 0.01 ? 'less than 1 %' : `${(share * 100).toFixed(0)} %`
}

function onOneLine(words: string): string {
  return words.replaceAll(' ', '\u00A0')
}
