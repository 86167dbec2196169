import { readdirSync, statSync, watch, type FSWatcher } from 'node:fs'
import { join } from 'node:path'

/** Whole folders, and single files, of a plugin. */
const folders = ['src', 'extensions', 'seed']
const files = ['package.json', 'tsconfig.json']
/** Several words of the system about one save are one look. */
const gatherMs = 5
/** What the system does not tell, such as of files that lie on another machine, is found so often. */
const usualLookMs = 1_000
/** A new file that nothing else was saved with is often an editor's own, gone in a moment, and is no save if it is. */
const settleMs = 100
/** No plugin has so many; whoever has put something else there is not to wait for it. */
const mostFiles = 20_000

/** By path below the plugin's folder; another text means another content. */
type Snapshot = ReadonlyMap<string, string>

interface WatchSourcesOptions {
  /** Between two looks that nothing has hinted at; a test gives its own. */
  readonly lookMs?: number
}

/** Tells which files were saved, made or deleted. The system's words are hints; what counts is how the files are. */
export function watchSources(
  folder: string,
  onSaved: (files: readonly string[]) => void,
  { lookMs = usualLookMs }: WatchSourcesOptions = {},
): Disposable {
  let known = snapshotOf(folder)
  let timer: NodeJS.Timeout | undefined
  /** Since when there are new files and nothing else. */
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

/** Undefined where there is nothing yet, or the system does not tell; it is looked at anyway. */
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
    // What editors and installers keep for themselves.
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
