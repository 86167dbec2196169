import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describePlugin, type PlanSection } from '@pergola/api'
import { buildPackage, type BuildOptions, type BuiltPackage } from './build-package.ts'

export interface PackOptions extends Pick<BuildOptions, 'folder' | 'conditions' | 'comesWithHost'> {
  /** Output folder of the package. */
  readonly out: string
}

export interface Packed extends Omit<BuiltPackage, 'files' | 'bytes' | 'contents'> {
  readonly summary: readonly PlanSection[]
  /** Path of the `.tgz`. */
  readonly file: string
  readonly size: number
}

/** Builds a package of a plugin and writes it. Leaves its files in `dist/` for inspection. */
export async function packPlugin({ out, ...options }: PackOptions): Promise<Packed> {
  const { files, bytes, contents, ...built } = await buildPackage(options)
  const file = join(out, `${built.manifest.name}-${built.manifest.version}.tgz`)
  writeAll(join(options.folder, 'dist'), files)
  mkdirSync(out, { recursive: true })
  writeFileSync(file, bytes)
  return { ...built, summary: describePlugin(contents), file, size: bytes.length }
}

/** Removes files of an earlier build, which would look as if they were packed. */
function writeAll(folder: string, files: ReadonlyMap<string, Buffer>): void {
  rmSync(join(folder, 'extensions'), { recursive: true, force: true })
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
}
