import { existsSync, readFileSync } from 'node:fs'
import { digestOf } from './unpack-archive.ts'

/** Next to the sources, and next to the compiled code. */
export const shippedFolder = new URL('../../../shipped/', import.meta.url)

const list = 'digests.json'

/**
 * The packages shipped with the host, as its build wrote them, each with the recorded digest. Empty if nothing was built.
 */
export function readShipped(folder: URL): readonly Buffer[] {
  return listedIn(folder).map((listed) => readListed(folder, listed))
}

/** The package of the shipped plugin with this name. */
export function readShippedPlugin(folder: URL, name: string): Buffer {
  const listed = listedIn(folder).map((one) => ({ ...one, name: one.file.replace(/-\d.*$/, '') }))
  const found = listed.find((one) => one.name === name)
  if (found) return readListed(folder, found)
  const names = listed.map((one) => one.name).join(', ')
  throw new Error(`no plugin "${name}" ships with the host; those are: ${names || 'none'}`)
}

interface Listed {
  /** `<plugin>-<version>.tgz` */
  readonly file: string
  readonly digest: string
}

function listedIn(folder: URL): readonly Listed[] {
  const listed = new URL(list, folder)
  if (!existsSync(listed)) return []
  const digests = JSON.parse(readFileSync(listed, 'utf8')) as Readonly<Record<string, string>>
  return Object.entries(digests).map(([file, digest]) => ({ file, digest }))
}

function readListed(folder: URL, { file, digest }: Listed): Buffer {
  const bytes = readFileSync(new URL(file, folder))
  if (digestOf(bytes) === digest) return bytes
  throw new Error(`${file}, which comes with the host, differs from its build; build or install the host again`)
}
