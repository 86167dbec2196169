import { readdirSync, statSync, watch, type FSWatcher } from 'node:fs'
import { join } from 'node:path'

/** Folders and files of a plugin to watch. */
const folders = ['src', 'extensions', 'seed']
const files = ['package.json', 'tsconfig.json']
/** Combines several file system events of one save. */
const gatherMs = 5
/** Polling interval for changes without file system events, for example on network drives. */
const usualLookMs = 1_000
/** Delay for a change that consists only of new files: editors create temporary files and remove them at once. */
const settleMs = 100
/** Upper bound of files to scan; protects against unrelated large folders. */
const mostFiles = 20_000

/** File state by path relative to the plugin's folder; a different string means changed content. */
type Snapshot = ReadonlyMap<string, string>

interface WatchSourcesOptions {
  /** Polling interval; tests set their own. */
  readonly lookMs?: number
}

/** Reports files that were changed, created or deleted. File system events only trigger a scan; the scan decides. */
export function watchSources(
  folder: string,
  onSaved: (files: readonly string[]) => void,
  { lookMs = usualLookMs }: WatchSourcesOptions = {},
): Disposable {
  let known = snapshotOf(folder)
  let timer: NodeJS.Timeout | undefined
  /** Start of the period with only new files. */
  let newSince: number | undefined
  const lookIn = (ms: number) => (timer ??= setTimeout(look, ms))
  const look = () => {
    timer = undefined
    openNew()
    const now = snapshotOf(folder)
    const changed = differences(known, now)
    const isAllNew = changed.length > 0 && changed.every((path) => !known.has(path))
    newSince = isAllNew ? (newSince ?? performance.now()) : undefined
    if (newSince !== undefined && performance.now() - newSince < settleMs) return void lookIn(settleMs)
    known = now
    newSince = undefined
    if (changed.length > 0) onSaved(changed)
  }
  const hinted = () => lookIn(gatherMs)
  const watchers = new Map<string, FSWatcher>()
  const openNew = () => {
    for (const part of ['.', ...folders]) {
      if (watchers.has(part)) continue
      const watcher = listenTo(join(folder, part), { recursive: part !== '.', hinted, onEnd: () => forget(part) })
      if (watcher) watchers.set(part, watcher)
    }
  }
  const forget = (part: string) => {
    watchers.get(part)?.close()
    watchers.delete(part)
  }
  openNew()
  const looking = setInterval(look, lookMs)
  return {
    [Symbol.dispose]: () => {
      clearInterval(looking)
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

interface Listening {
  readonly recursive: boolean
  readonly hinted: () => void
  readonly onEnd: () => void
}

/** Undefined when the path does not exist or cannot be watched; polling covers it. */
function listenTo(path: string, { recursive, hinted, onEnd }: Listening): FSWatcher | undefined {
  try {
    const watcher = watch(path, { recursive, persistent: false }, hinted)
    watcher.on('error', onEnd)
    return watcher
  } catch {
    return undefined
  }
}

function differences(before: Snapshot, after: Snapshot): readonly string[] {
  const saved = [...after].filter(([path, state]) => before.get(path) !== state).map(([path]) => path)
  return [...saved, ...[...before.keys()].filter((path) => !after.has(path))].toSorted()
}

function snapshotOf(folder: string): Snapshot {
  const found = new Map<string, string>()
  const add = (path: string) => {
    const state = stateOf(join(folder, path))
    if (state !== undefined) found.set(path, state)
  }
  for (const path of files) add(path)
  for (const root of folders) {
    for (const path of pathsIn(folder, root)) {
      if (found.size >= mostFiles) return found
      add(path)
    }
  }
  return found
}

function* pathsIn(folder: string, path: string): Generator<string> {
  for (const entry of entriesOf(join(folder, path))) {
    // Hidden files, installed packages and editor backups.
    if (entry.name.startsWith('.') || entry.name === 'node_modules' || entry.name.endsWith('~')) continue
    const inner = `${path}/${entry.name}`
    if (entry.isDirectory()) yield* pathsIn(folder, inner)
    else yield inner
  }
}

function entriesOf(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

function stateOf(path: string): string | undefined {
  try {
    const { mtimeMs, ctimeMs, size, ino } = statSync(path)
    return [mtimeMs, ctimeMs, size, ino].join(' ')
  } catch {
    return undefined
  }
}
