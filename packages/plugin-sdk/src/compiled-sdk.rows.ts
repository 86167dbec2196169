import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const root = resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)

/** Entry modules, relative to the folder. */
const entries = {
  '@pergola/api': 'api/src/index',
  '@pergola/client': 'client/src/index',
  '@pergola/plugin-sdk': 'plugin-sdk/src/index',
  '@pergola/plugin-sdk/decorators': 'plugin-sdk/src/decorators/index',
  '@pergola/plugin-sdk/testing': 'plugin-sdk/src/testing/index',
}

/** Compiles the SDK into the folder, as authors install it; returns the matching `paths` option. */
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
    // Modules found through `node_modules` count as external and are sometimes omitted from the output.
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

/** Number of type instantiations when compiling a project without errors. */
export async function instantiationsIn(folder: string, compiler: string): Promise<number> {
  const tsc = join(root, `node_modules/${compiler}/bin/tsc`)
  const { stdout } = await run(process.execPath, [tsc, '-p', folder, '--extendedDiagnostics']).catch(
    (error: Error & { readonly stdout?: string }) => {
      // The compiler writes its errors to stdout, which the thrown error does not show.
      throw new Error(`${error.message}\n${(error.stdout ?? '').slice(0, 2_000)}`)
    },
  )
  const [, count] = /^Instantiations:\s+(\d+)/m.exec(stdout) ?? []
  return Number(count)
}
