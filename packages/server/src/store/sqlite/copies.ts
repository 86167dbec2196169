import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type SqliteDatabase from 'better-sqlite3'
import type { Tell } from '../backup.ts'

/** Pages copied at a time, without a pause. */
const pagesAtOnce = 250
const longestPath = 100

/** Sent over the socket, which only users who may open the file may open. */
interface Wish {
  readonly to: string
}
interface Word {
  readonly percent?: number
  readonly fault?: string
  readonly isDone?: true
}

const socketOf = (file: string) => `${file}-copy.sock`

/** Only the process that has locked the file can copy it; other processes ask it over a socket next to the file. */
export function serveCopies(database: SqliteDatabase.Database, file: string): Disposable {
  const path = socketOf(file)
  if (file === ':memory:' || path.length > longestPath) return { [Symbol.dispose]: () => {} }
  // This process has locked the file, so the socket's previous owner is gone.
  rmSync(path, { force: true })
  let isCopying = false
  const answer = async (socket: Socket) => {
    const say = (word: Word): void => void socket.write(`${JSON.stringify(word)}\n`)
    if (isCopying) return say({ fault: 'another copy is being made; wait until it is done' })
    isCopying = true
    try {
      const { to } = JSON.parse((await firstLine(socket)) ?? '{}') as Wish
      await copy(database, to, (percent) => {
        if (socket.destroyed) throw new Error('the client has disconnected')
        say({ percent })
      })
      say({ isDone: true })
    } catch (error) {
      say({ fault: (error as Error).message })
    } finally {
      isCopying = false
    }
  }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    void answer(socket).finally(() => socket.end())
  })
  // Without the socket, copying requires stopping the server; the copy command reports that.
  server.on('error', () => {})
  const before = process.umask(0o177)
  server.listen(path).unref()
  process.umask(before)
  return { [Symbol.dispose]: () => void server.close() }
}

async function firstLine(socket: Socket): Promise<string | undefined> {
  for await (const line of createInterface({ input: socket })) return line
  return undefined
}

/** Asks the process that has the file open to copy it; false when no process answers. */
export async function copyByHolder(file: string, to: string, tell: Tell): Promise<boolean> {
  const socket = connect(socketOf(file))
  try {
    await once(socket, 'connect')
  } catch {
    return false
  }
  socket.write(`${JSON.stringify({ to } satisfies Wish)}\n`)
  for await (const line of createInterface({ input: socket })) {
    const { percent, fault, isDone } = JSON.parse(line) as Word
    if (percent !== undefined) tell(copied(percent))
    if (fault !== undefined) throw new Error(`the server that has ${file} open cannot copy it: ${fault}`)
    if (isDone) return true
  }
  throw new Error(`the server that had ${file} open has ended; try again`)
}

/** Copies while this connection keeps writing to the database. */
export async function copy(
  database: SqliteDatabase.Database,
  to: string,
  onPercent: (percent: number) => void,
): Promise<void> {
  await database.backup(to, {
    progress: ({ totalPages, remainingPages }) => {
      onPercent(totalPages === 0 ? 0 : Math.floor((100 * (totalPages - remainingPages)) / totalPages))
      return pagesAtOnce
    },
  })
}

export function copied(percent: number): string {
  return `${percent} % copied`
}
