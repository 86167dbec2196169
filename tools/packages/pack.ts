import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { runCommand } from '../run-command.ts'

export interface PackedPackage {
  readonly name: string
  readonly version: string
  readonly tarball: string
  /** The unpacked contents. */
  readonly folder: string
  readonly files: readonly string[]
  readonly bytes: number
  readonly unpackedBytes: number
  readonly hasTypes: boolean
}

interface PackageJson {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly files?: readonly string[]
  readonly exports?: object
  readonly devDependencies?: object
}

interface NpmPacked {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

/** Packs every published package. Common fields of package.json are only in the root. */
export async function packPackages(out: string): Promise<readonly PackedPackage[]> {
  rmSync(out, { recursive: true, force: true })
  const files = globSync('packages/*/package.json').toSorted()
  return Promise.all(files.map((file) => pack(dirname(file), out)))
}

async function pack(from: string, out: string): Promise<PackedPackage> {
  const { devDependencies: _, ...own } = readJson(join(from, 'package.json'))
  const root = readJson('package.json') as PackageJson & {
    readonly homepage: string
    readonly bugs: object
    readonly repository: { readonly url: string }
  }
  const { homepage, bugs, repository } = root
  const shared = { homepage, bugs, repository: { ...repository, directory: from }, publishConfig: { access: 'public' } }
  const folder = join(out, 'unpacked', basename(from))
  mkdirSync(folder, { recursive: true })
  // Everything except what `files` in package.json leaves out of the tarball.
  for (const entry of ['README.md', ...(own.files ?? []).filter((name) => !name.startsWith('!'))]) {
    cpSync(join(from, entry), join(folder, entry), { recursive: true })
  }
  cpSync('LICENSE', join(folder, 'LICENSE'))
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')
  writeFileSync(
    join(folder, 'README.md'),
    readme.replaceAll(/\]\(\.\.\/(?:\.\.\/)?/g, (link) => linkTo(link, repository.url)),
  )
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...own, ...shared }, undefined, 2)}\n`)
  const { passed, output } = await runCommand('npm pack --json --pack-destination ../.. 2>/dev/null', { cwd: folder })
  if (!passed) throw new Error(`npm pack failed in ${folder}:\n${output}`)
  const [npm] = JSON.parse(output) as readonly NpmPacked[]
  if (!npm) throw new Error(`npm pack created no tarball in ${folder}`)
  return {
    name: own.name,
    version: own.version,
    tarball: join(out, npm.filename),
    folder,
    files: npm.files.map(({ path }) => path),
    bytes: npm.size,
    unpackedBytes: npm.unpackedSize,
    hasTypes: own.exports !== undefined,
  }
}

/** Makes links to other files of the repository absolute, so that they work on npm. */
function linkTo(link: string, repository: string): string {
  const files = `${repository.replace(/^git\+|\.git$/g, '')}/blob/main`
  return `](${files}/${link === '](../' ? 'packages/' : ''}`
}

function readJson(file: string): PackageJson {
  return JSON.parse(readFileSync(file, 'utf8')) as PackageJson
}
