import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

const lookMs = 5_000
/** The unit of `blocks`, whatever the file system. */
const blockBytes = 512
/** Bounds the work of a measurement; a plugin with more files is over the limit. */
const mostFiles = 20_000

export interface ScratchUse {
  readonly bytes: number
  readonly files: number
}

/** Measures the folder periodically until disposed, and calls `onOver` when it is over the limit. */
export function watchScratch(folder: string, most: number, onOver: (why: string) => void): Disposable {
  let isOver = false
  const look = async () => {
    const { bytes, files } = await measure(folder, most)
    if (isOver) return
    if (bytes > most) onOver(`had more than ${most / 1024 / 1024} MiB in its scratch folder (plugins.scratchLimit)`)
    else if (files > mostFiles) onOver(`had more than ${mostFiles.toLocaleString('en')} files in its scratch folder`)
    else timer = setTimeout(() => void look(), lookMs).unref()
  }
  let timer = setTimeout(() => void look(), lookMs).unref()
  return {
    [Symbol.dispose]: () => {
      isOver = true
      clearTimeout(timer)
    },
  }
}

/** Sizes on disk, without following links. Stops when it is over a limit. */
export async function measure(folder: string, most: number): Promise<ScratchUse> {
  let bytes = 0
  let files = 0
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    try {
      for await (const entry of await opendir(next)) {
        const path = join(next, entry.name)
        if (entry.isDirectory()) folders.push(path)
        bytes += (await lstat(path)).blocks * blockBytes
        if (++files > mostFiles || bytes > most) return { bytes, files }
      }
    } catch (error) {
      // Files deleted meanwhile take no space.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return { bytes, files }
}
