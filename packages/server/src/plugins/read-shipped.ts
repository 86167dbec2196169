import { existsSync, readFileSync } from 'node:fs'
import { digestOf } from './unpack-archive.ts'

/** Next to the sources, and next to the compiled code. */
export const shippedFolder = new URL('../../shipped/', import.meta.url)

const list = 'digests.json'

/**
 * The packages shipped with the host, as left by its build, each with the digest recorded then. Empty when nothing was built.
 */
export function readShipped(folder: URL): readonly Buffer[] {
  const listed = new URL(list, folder)
  if (!existsSync(listed)) return []
  const digests = JSON.parse(readFileSync(listed, 'utf8')) as Readonly<Record<string, string>>
  return Object.entries(digests).map(([file, digest]) => {
    const bytes = readFileSync(new URL(file, folder))
    if (digestOf(bytes) === digest) return bytes
    throw new Error(`${file}, which comes with the host, is not as it was built; build or install the host again`)
  })
}
