import type SqliteDatabase from 'better-sqlite3'
import { tableOf } from '../model-table.ts'

/** Keeps ids safe integers until the year 2248. */
const idsPerMillisecond = 1024

/** Object ids: the millisecond of creation and a sequence number, so that id order is creation order. */
export interface ObjectIds {
  /** Greater than all ids before, even if the clock was set back since the newest object was created. */
  next(): number
}

export function createObjectIds(database: SqliteDatabase.Database, now: () => number = Date.now): ObjectIds {
  let last = greatestId(database)
  return {
    next: () => {
      last = Math.max(last + 1, firstIdOf(now()))
      return last
    },
  }
}

export const createdAtOf = (id: number): number => Math.floor(id / idsPerMillisecond)

/** Exact for every time that a timestamp can name: 1024 is a power of two. */
export const firstIdOf = (milliseconds: number): number => milliseconds * idsPerMillisecond

function greatestId(database: SqliteDatabase.Database): number {
  const models = database.prepare<[], { id: number }>('SELECT id FROM models').all()
  const greatest = models.map((model) => {
    const row = database.prepare<[], { id: number | null }>(`SELECT max(id) AS id FROM ${tableOf(model)}`).get()
    return row?.id ?? 0
  })
  return Math.max(0, ...greatest)
}
