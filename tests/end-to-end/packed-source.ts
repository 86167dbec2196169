import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
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
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
    const { file } = await packPlugin({ folder, out: folder, conditions: ['@pergola/source'], comesWithHost })
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
