import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const root = resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)

/** Where a compiler finds each entry, below the folder. */
const entries = {
  '@pergola/api': 'api/src/index',
  '@pergola/client': 'client/src/index',
  '@pergola/plugin-sdk': 'plugin-sdk/src/index',
  '@pergola/plugin-sdk/decorators': 'plugin-sdk/src/decorators/index',
  '@pergola/plugin-sdk/testing': 'plugin-sdk/src/testing/index',
}

/** Puts the SDK into the folder as authors have it, compiled; answers the `paths` that lead there. */
export async function compileSdk(folder: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const compilerOptions = {
    composite: false,
    declaration: true,
    declarationMap: false,
    emitDeclarationOnly: true,
    lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
    types: ['node'],
    rootDir: join(root, 'packages'),
    outDir: folder,
    // What is found through `node_modules` counts as somebody else's, and is sometimes left out of what is written.
    paths: pathsTo((entry) => join(root, 'packages', `${entry}.ts`)),
  }
  const files = Object.values(compilerOptions.paths).flat()
  const config = join(folder, 'tsconfig.sdk.json')
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, files }))
  await run(process.execPath, [join(root, 'node_modules/typescript7/bin/tsc'), '-p', config])
  return pathsTo((entry) => join(folder, `${entry}.d.ts`))
}

function pathsTo(file: (entry: string) => string): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, [file(entry)]]))
}

/** How often the compiler had to work out a type, in a project that has no fault. */
export async function instantiationsIn(folder: string, compiler: string): Promise<number> {
  const tsc = join(root, `node_modules/${compiler}/bin/tsc`)
  const { stdout } = await run(process.execPath, [tsc, '-p', folder, '--extendedDiagnostics']).catch(
    (error: Error & { readonly stdout?: string }) => {
      // A compiler tells its faults where nobody looks when it fails.
      throw new Error(`${error.message}\n${(error.stdout ?? '').slice(0, 2_000)}`)
    },
  )
  const [, count] = /^Instantiations:\s+(\d+)/m.exec(stdout) ?? []
  return Number(count)
}
