import { gzipSync } from 'node:zlib'
import { Header } from 'tar'
import { AuthorFault } from './author-fault.ts'

const block = 512

/** `smallest` for distribution, `quickest` for local development. */
export type Compression = 'smallest' | 'quickest'
const levels = { smallest: 9, quickest: 1 }

/** Creates a reproducible `.tgz`: the same files always give the same bytes. */
export function archive(files: ReadonlyMap<string, Buffer>, compression: Compression): Buffer {
  const sorted = [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const parts = sorted.flatMap(([path, bytes]) => [headerOf(path, bytes.length), bytes, padding(bytes.length)])
  // Two empty blocks end a tar archive. The gzip header contains no time and no name.
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
