import type { ModelStatements } from './statements.ts'

/** The JSON of a row before and after; undefined where there is no row. */
interface Move {
  readonly from: string | undefined
  readonly to: string | undefined
}

/** Does not touch unchanged entries. */
export function moveLabels({ labels }: ModelStatements, id: number, { from = '{}', to = '{}' }: Move): void {
  if (from === to) return
  const before = JSON.parse(from) as Record<string, string>
  const after = JSON.parse(to) as Record<string, string>
  for (const [key, value] of Object.entries(before)) if (after[key] !== value) labels.remove.run(key, value, id)
  for (const [key, value] of Object.entries(after)) if (before[key] !== value) labels.add.run(key, value, id)
}

export function moveSets({ sets }: ModelStatements, id: number, { from = '{}', to = '{}' }: Move): void {
  if (from === to) return
  const before = JSON.parse(from) as Record<number, string[]>
  const after = JSON.parse(to) as Record<number, string[]>
  for (const [slot, { add, remove }] of sets) {
    const old = before[slot] ?? []
    const fresh = after[slot] ?? []
    for (const value of without(old, fresh)) remove.run(value, id)
    for (const value of without(fresh, old)) add.run(value, id)
  }
}

function without(values: readonly string[], others: readonly string[]): readonly string[] {
  const unwanted = new Set(others)
  return values.filter((value) => !unwanted.has(value))
}
