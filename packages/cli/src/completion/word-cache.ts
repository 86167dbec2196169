import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { CommandContext } from '../command-context.ts'

/** Words of one server for one login, on this machine, readable only by their owner. */
export interface WordCache {
  /** Returns the cached value while it is fresh, otherwise that of `read`, which is then cached. */
  get<Value>(key: string, options: { readonly seconds: number; readonly read: () => Promise<Value> }): Promise<Value>
}

/** Without a response, the server is not asked again for this long, so that the next keystrokes do not wait. */
const awaySeconds = 10
const awayKey = 'away'

export function createWordCache(variables: CommandContext['variables'], login: string): WordCache {
  const folder = join(cacheFolderOf(variables), digest(login))
  const read = (key: string): Entry | undefined => {
    try {
      const entry = JSON.parse(readFileSync(join(folder, digest(key)), 'utf8')) as Entry
      return entry.key === key && entry.until > Date.now() ? entry : undefined
    } catch {
      return undefined
    }
  }
  const write = (key: string, value: unknown, seconds: number) => {
    const entry: Entry = { key, until: Date.now() + seconds * 1_000, value }
    const file = join(folder, digest(key))
    const next = `${file}.${process.pid}`
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(next, JSON.stringify(entry), { mode: 0o600 })
    renameSync(next, file)
  }
  return {
    get: async (key, { seconds, read: ask }) => {
      const cached = read(key)
      if (cached) return cached.value as Awaited<ReturnType<typeof ask>>
      if (read(awayKey)) throw new Error('the server did not answer a moment ago')
      try {
        const value = await ask()
        write(key, value, seconds)
        return value
      } catch (error) {
        if (error instanceof Error && error.name === 'ConnectionError') write(awayKey, '', awaySeconds)
        throw error
      }
    },
  }
}

/** Removes the words of all servers: they are those of somebody who has signed out. */
export function clearWordCache(variables: CommandContext['variables']): void {
  rmSync(cacheFolderOf(variables), { recursive: true, force: true })
}

interface Entry {
  readonly key: string
  readonly until: number
  readonly value: unknown
}

function cacheFolderOf(variables: CommandContext['variables']): string {
  const folder = variables['XDG_CACHE_HOME'] || join(variables['HOME'] || homedir(), '.cache')
  return join(folder, 'pergola', 'completion')
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24)
}
