import { createHash, randomUUID } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packPlugin } from '../../packages/cli/src/plugin/pack.ts'

const repository = join(import.meta.dirname, '../..')

/** Packs a plugin of one source file, with these compiler options. */
export function packedSource(file: string, compilerOptions: object = {}): Promise<Buffer> {
  return packed(false, (folder) => {
    mkdirSync(join(folder, 'src'))
    copyFileSync(file, join(folder, 'src/plugin.ts'))
    const about = { name: 'source', version: '1.0.0', license: 'Apache-2.0', type: 'module' }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(about))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  })
}

/** Packs a plugin of this repository. */
export function packedProject(project: `${'examples' | 'plugins'}/${string}`): Promise<Buffer> {
  return packed(project.startsWith('plugins/'), (folder) => {
    copyProject(project, folder)
  })
}

/** Packs a plugin from these files, by path; missing files are copied from a plugin of this repository. */
export function packedFiles(files: Readonly<Record<string, string>>, based?: `examples/${string}`): Promise<Buffer> {
  return packed(false, (folder) => {
    if (based) copyProject(based, folder)
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
  })
}

function copyProject(project: string, folder: string): void {
  for (const part of ['package.json', 'src', 'extensions']) {
    const from = join(repository, project, part)
    if (existsSync(from)) cpSync(from, join(folder, part), { recursive: true })
  }
}

async function packed(comesWithHost: boolean, write: (folder: string) => void): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-source-'))
  try {
    write(folder)
    const key = createHash('sha256').update(JSON.stringify([comesWithHost, digestOf(folder, ['**/*']), packing()]))
    const kept = join(cache, `${key.digest('hex')}.tgz`)
    if (existsSync(kept)) return readFileSync(kept)
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
    const { file } = await packPlugin({ folder, out: folder, conditions: ['@pergola/source'], comesWithHost })
    keep(file, kept)
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Bundling takes three processes; several test files pack the same plugin. */
const cache = join(repository, 'node_modules/.cache/packed')
const mostKept = 100

function keep(file: string, as: string): void {
  mkdirSync(cache, { recursive: true })
  // Another worker may read or write the same file.
  const writing = join(cache, randomUUID())
  copyFileSync(file, writing)
  renameSync(writing, as)
  const byAge = globSync('*.tgz', { cwd: cache }).map((name) => ({ name, at: statSync(join(cache, name)).mtimeMs }))
  const old = byAge.toSorted((one, other) => other.at - one.at).slice(mostKept)
  for (const { name } of old) rmSync(join(cache, name), { force: true })
}

let packingDigest: string | undefined
/** Everything that decides how a plugin is packed, and what is bundled into it. */
function packing(): string {
  const sources = ['api', 'client', 'plugin-sdk', 'cli'].flatMap((name) => [
    `packages/${name}/package.json`,
    `packages/${name}/src/**/*.ts`,
  ])
  return (packingDigest ??= digestOf(repository, ['package-lock.json', ...sources]))
}

function digestOf(folder: string, patterns: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of globSync([...patterns], { cwd: folder }).toSorted()) {
    const file = join(folder, path)
    if (statSync(file).isFile()) hash.update(JSON.stringify([path, readFileSync(file, 'base64')]))
  }
  return hash.digest('hex')
}
