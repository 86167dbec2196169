import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { copyRepository } from '../repository-copy.ts'
import { openShell } from './shell.ts'

/** A copy of the repository that can be restored to what it was after its setup. */
export interface FreshCopies extends AsyncDisposable {
  /** Restores the copy, always at the same path, because what the setup installs contains absolute paths. */
  fresh(): string
}

/** Copies the repository and runs the setup in it. */
export async function copiesAfter(setup: string): Promise<FreshCopies> {
  await using resources = new AsyncDisposableStack()
  const { path } = resources.use(copyRepository())
  const saved = `${path}-saved`
  resources.defer(() => rmSync(saved, { recursive: true, force: true }))
  {
    await using shell = openShell(path, plainEnvironment(path))
    if (!(await shell.type(setup))) throw new Error(`"${setup}" failed:\n${shell.shown()}`)
  }
  execFileSync('cp', ['-a', path, saved])
  let isUsed = false
  const kept = resources.move()
  return {
    fresh: () => {
      if (isUsed) {
        rmSync(path, { recursive: true })
        execFileSync('cp', ['-a', saved, path])
      }
      isUsed = true
      return path
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/**
 * A clean environment, without the variables and PATH entries of this repository and npm. Files of logins
 * are in the copy. The server prints what it prints on a terminal.
 */
export function plainEnvironment(cwd: string): NodeJS.ProcessEnv {
  const here = resolve('.')
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.startsWith(here))
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|PERGOLA_|NODE_OPTIONS|INIT_CWD)/.test(name))
  const own = { XDG_CONFIG_HOME: join(cwd, '.config'), PERGOLA_LOG_FORMAT: 'pretty' }
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter), ...own }
}
