import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { LogEntry } from './committed-log.ts'
import { revisionOf, type Frame, type Lineage, type Session } from './history.ts'

/** Saves the records of a failed round, one line for each frame and change; returns the path. */
export function keepHistory(name: string, { log, lineages }: KeptHistory): string {
  const file = join('.results', `${name}.txt`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${[...log.map(entryLine), ...lineages.flatMap(lineageLines)].join('\n')}\n`)
  return file
}

interface KeptHistory {
  readonly log: readonly LogEntry[]
  readonly lineages: readonly Lineage[]
}

function entryLine({ number, tag, id, change }: LogEntry): string {
  const what = change ? `${change.op} ${change.object.metadata.name} ${change.uid} version ${change.version}` : ''
  return `log ${number}.${tag} id ${id} ${what}`
}

function lineageLines({ reader, selection, list, sessions, settled }: Lineage): readonly string[] {
  const begun = list ? `from the list ${revisionOf(list.place)} of ${list.items.length}` : ''
  return [
    `${reader} (${selection.name}) ${begun}${settled ? ', to the end' : ''}`,
    ...sessions.flatMap((session) => [sessionLine(session), ...session.frames.map(frameLine)]),
  ]
}

function sessionLine({ replica, transport, start, openedAt, end }: Session): string {
  const from = typeof start === 'object' ? revisionOf(start) : start
  return `  stream ${from} at replica ${replica} by ${transport}, begun ${openedAt?.toFixed(0)}, ended: ${end}`
}

function frameLine(frame: Frame): string {
  const { type, at, place } = frame
  const object = 'object' in frame ? frame.object?.metadata : undefined
  const what = object ? `${object.name} ${object.uid} version ${object.version}` : ''
  const status = 'status' in frame ? frame.status : ''
  return `    ${at.toFixed(0)} ${type} ${place ? revisionOf(place) : ''} ${what}${status}`
}
