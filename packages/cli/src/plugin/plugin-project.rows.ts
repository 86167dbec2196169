import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../../..')

/** A plugin folder with the SDK installed. */
export interface TestProject extends Disposable {
  readonly folder: string
  write(files: Readonly<Record<string, string | Buffer>>): void
}

/** Copies the example plugin, with some files replaced. */
export function todoProject(
  files: Readonly<Record<string, string | Buffer>> = {},
  { hasSdk = true }: { readonly hasSdk?: boolean } = {},
): TestProject {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-project-'))
  const write: TestProject['write'] = (some) => writeFiles(folder, some)
  for (const part of ['package.json', 'src']) {
    cpSync(join(root, 'examples/todo', part), join(folder, part), { recursive: true })
  }
  // The copied pages do not match another plugin's definition.
  if ('src/plugin.ts' in files) rmSync(join(folder, 'src/ui'), { recursive: true })
  if (hasSdk) installSdk(folder)
  write(files)
  return { folder, write, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Links the SDK from its sources. */
export function installSdk(folder: string): void {
  mkdirSync(join(folder, 'node_modules/@pergola'), { recursive: true })
  symlinkSync(join(root, 'packages/plugin-sdk'), join(folder, 'node_modules/@pergola/plugin-sdk'))
}

function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
}
