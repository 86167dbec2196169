import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { runCommand } from '../run-command.ts'
import type { PackedPackage } from './pack.ts'

/** Finds defects of a package that its users would notice. */
export async function faultsOf(packed: PackedPackage): Promise<readonly string[]> {
  const { tarball, hasTypes } = packed
  const checks = [
    `npx publint run ${tarball} --strict`,
    ...(hasTypes ? [`npx attw ${tarball} --profile esm-only --format ascii --no-emoji --no-color`] : []),
  ]
  const told = await Promise.all(checks.map((command) => runCommand(command)))
  return [
    ...told.filter(({ passed }) => !passed).map(({ output }) => output.trim()),
    ...missing(packed),
    ...strays(packed),
    ...mapsWithoutSource(packed),
  ]
}

function missing({ files }: PackedPackage): readonly string[] {
  return ['README.md', 'LICENSE', 'package.json']
    .filter((file) => !files.includes(file))
    .map((file) => `has no ${file}`)
}

function strays({ files }: PackedPackage): readonly string[] {
  const stray = /\.(test|rows)\.|(^|\/)contract\/|\.tsbuildinfo$/
  return files.filter((file) => stray.test(file)).map((file) => `${file} is for tests or builds`)
}

function mapsWithoutSource({ files, folder }: PackedPackage): readonly string[] {
  const known = new Set(files)
  return files
    .filter((file) => file.endsWith('.map'))
    .filter((file) => {
      const { sources } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
        readonly sources: readonly string[]
      }
      return !sources.every((source) => known.has(posix.join(dirname(file), source)))
    })
    .map((file) => `${file} is the map of a source that is not in the package`)
}
