import { gzipSync } from 'node:zlib'
import { Header } from 'tar'
import { AuthorFault } from './author-fault.ts'

const block = 512

/** How much it is compressed: for everybody who will ever fetch it, or for a reader at hand. */
export type Compression = 'smallest' | 'quickest'
const levels = { smallest: 9, quickest: 1 }

/** A `.tgz` of files by path. The same files are the same bytes, whoever packs them, wherever and whenever. */
export function archive(files: ReadonlyMap<string, Buffer>, compression: Compression): Buffer {
  const sorted = [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const parts = sorted.flatMap(([path, bytes]) => [headerOf(path, bytes.length), bytes, padding(bytes.length)])
  // Two empty blocks are the end. The compressed form carries neither a time nor a name.
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * block)]), { level: levels[compression] })
}

function headerOf(path: string, size: number): Buffer {
  const bytes = Buffer.alloc(block)
  const header = new Header({ path, type: 'File', size, mode: 0o644, mtime: new Date(0), uid: 0, gid: 0 })
  const needsMore = header.encode(bytes)
  if (needsMore) throw new AuthorFault([`${path} has a name too long for a package; shorten it`])
  return bytes
}

function padding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block)
}
