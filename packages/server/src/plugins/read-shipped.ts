import { existsSync, readFileSync } from 'node:fs'
import { digestOf } from './read-package.ts'

/** Beside the sources, and beside what is compiled from them. */
export const shippedFolder = new URL('../../shipped/', import.meta.url)

const list = 'digests.json'

/**
 * The packages that come with the host, as its build has left them in a folder, each with the digest that was written down then.
 * None where nothing was built.
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
