import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Frame } from './history.ts'
import { placedFrames } from './sessions.ts'
import type { RoundResult } from './round.ts'
import type { Tally } from './troubles.ts'

/** The recorded results of a round. */
export interface RoundFigures {
  readonly seed: number
  readonly at: string
  readonly changes: number
  readonly done: number
  readonly refused: number
  readonly unknown: number
  readonly streams: number
  /** Resumed streams. */
  readonly resumed: number
  readonly lists: number
  /** Streams that delivered all present objects. */
  readonly presented: number
  readonly frames: number
  readonly bookmarks: number
  /** Streams that got 410. */
  readonly expired: number
  /** Streams that were closed because the reader was too slow. */
  readonly slow: number
  readonly troubles: Tally
  /** Faults by validator. */
  readonly violations: Readonly<Record<string, number>>
}

export function figuresOf(
  { operations, lineages, changes, tally, violations }: RoundResult,
  seed: number,
): RoundFigures {
  const sessions = lineages.flatMap((lineage) => lineage.sessions)
  const frames = sessions.flatMap((session) => session.frames)
  const told = (outcome: string) => operations.filter((one) => one.outcome === outcome).length
  return {
    seed,
    at: new Date().toISOString(),
    changes,
    done: told('done'),
    refused: told('refused'),
    unknown: told('unknown'),
    streams: sessions.filter(({ openedAt }) => openedAt !== undefined).length,
    resumed: lineages.flatMap((lineage) => lineage.sessions.slice(1)).filter((one) => placedFrames(one).length > 0)
      .length,
    lists: lineages.filter(({ list }) => list).length,
    presented: sessions.filter(({ start, frames: got }) => start === 'initial' && got.some(isBookmark)).length,
    frames: frames.length,
    bookmarks: frames.filter(isBookmark).length,
    expired: toldIn(frames, 410),
    slow: toldIn(frames, 429),
    troubles: tally,
    violations: Object.fromEntries([...violations].map(([name, faults]) => [name, faults.length])),
  }
}

function toldIn(frames: readonly Frame[], status: number): number {
  return frames.filter((frame) => frame.type === 'ERROR' && frame.status === status).length
}

const isBookmark = ({ type }: { readonly type: string }) => type === 'BOOKMARK'

export function readResults(file: string): readonly unknown[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as unknown)
}

export function addResult(file: string, figures: object): void {
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, `${JSON.stringify(figures)}\n`)
}

export function violationsIn({ violations }: Pick<RoundFigures, 'violations'>): number {
  return Object.values(violations).reduce((sum, count) => sum + count, 0)
}

export function summaryOf(rounds: readonly RoundFigures[]): string {
  const sum = (figure: (round: RoundFigures) => number) => rounds.reduce((all, round) => all + figure(round), 0)
  const troubles = troubleNamesIn(rounds)
    .map((name) => `${name} ${sum((round) => round.troubles[name] ?? 0)}`)
    .join(', ')
  return [
    `${troubles} times`,
    `${sum((one) => one.done)} writes done, ${sum((one) => one.refused)} refused, ${sum((one) => one.unknown)} without an answer`,
    `${sum((one) => one.lists)} lists, ${sum((one) => one.streams)} streams, ${sum((one) => one.resumed)} resumed, ${sum((one) => one.presented)} with present objects, ${sum((one) => one.expired)} told 410, ${sum((one) => one.slow)} told 429`,
    `${rounds.length} rounds, ${sum((one) => one.changes)} changes, ${sum((one) => one.frames)} frames (${sum((one) => one.bookmarks)} bookmarks), ${sum(violationsIn)} violations`,
  ].join('\n')
}

/** Includes faults with a count of 0. */
function troubleNamesIn(rounds: readonly RoundFigures[]): readonly (keyof Tally)[] {
  return [...new Set(rounds.flatMap(({ troubles }) => Object.keys(troubles) as (keyof Tally)[]))]
}

/** Events that must have happened for a meaningful result. */
export function unproven(rounds: readonly RoundFigures[]): readonly string[] {
  const has = (figure: (round: RoundFigures) => number) => rounds.some((round) => figure(round) > 0)
  const wanted: readonly (readonly [string, (round: RoundFigures) => number])[] = [
    ...troubleNamesIn(rounds).map((name) => [name, (round: RoundFigures) => round.troubles[name] ?? 0] as const),
    ['resumed', (one) => one.resumed],
    ['lists', (one) => one.lists],
    ['present objects', (one) => one.presented],
    ['bookmarks', (one) => one.bookmarks],
    ['told 410', (one) => one.expired],
    ['writes without an answer', (one) => one.unknown],
  ]
  return wanted.flatMap(([name, figure]) => (has(figure) ? [] : [name]))
}
