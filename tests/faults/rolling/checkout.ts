import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Checkout extends Disposable {
  /** The source of its command `pergola`. */
  readonly command: string
}

/** Another commit of this repository, with its own packages installed, in a temporary folder. */
export function checkOut(commit: string): Checkout {
  const path = mkdtempSync(join(tmpdir(), 'pergola-checkout-'))
  const run = (command: string, args: readonly string[], cwd?: string) =>
    execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  const remove = () => {
    run('git', ['worktree', 'remove', '--force', path])
    rmSync(path, { recursive: true, force: true })
  }
  run('git', ['worktree', 'add', '--quiet', '--detach', '--force', path, commit])
  try {
    run('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], path)
  } catch (error) {
    remove()
    throw error
  }
  return { command: join(path, 'packages/cli/src/main.ts'), [Symbol.dispose]: remove }
}
