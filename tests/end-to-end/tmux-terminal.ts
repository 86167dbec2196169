import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'

const command = join(import.meta.dirname, '../../packages/cli/src/main.ts')
const compiled = join(import.meta.dirname, '../../node_modules/.cache/compiled')
const patience = { timeout: 60_000, interval: 50 }

/** A terminal with a shell that has the command `pergola`. */
export interface TmuxTerminal extends Disposable {
  /** The text on the screen, without trailing spaces. */
  readonly screen: () => string
  /** The text on the screen, with escape sequences for colours. */
  readonly colouredScreen: () => string
  readonly type: (text: string) => void
  readonly press: (key: string) => void
  /** Waits until the screen shows this. */
  readonly shows: (what: RegExp | string) => Promise<void>
  /** Types a command on an empty screen; returns the output, with the exit code in brackets at the end. */
  readonly run: (line: string) => Promise<string>
}

export function openTerminal(env: Readonly<Record<string, string>>, folder: string, columns = 160): TmuxTerminal {
  const bin = mkdtempSync(join(tmpdir(), 'pergola-terminal-'))
  const script = `#!/bin/sh\nexec "${process.execPath}" --conditions=@pergola/source "${command}" "$@"\n`
  writeFileSync(join(bin, 'pergola'), script, { mode: 0o755 })
  const socket = `pergola-${randomUUID()}`
  const tmux = (...args: readonly string[]) =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: {
        ...env,
        PATH: `${bin}:${process.env['PATH']}`,
        LANG: 'C.UTF-8',
        TERM: 'xterm-256color',
        NODE_COMPILE_CACHE: compiled,
        PS1: '$ ',
      },
    })
  tmux('new-session', '-d', '-x', String(columns), '-y', '50', '-c', folder, 'bash', '--norc', '--noprofile')
  const capture = (...args: readonly string[]) => tmux('capture-pane', '-p', ...args).replace(/\s+$/, '')
  const screen = () => capture()
  let runs = 0
  const press = (key: string) => void tmux('send-keys', key)
  const type = (text: string) => void tmux('send-keys', '-l', text)
  return {
    screen,
    colouredScreen: () => capture('-e'),
    press,
    type,
    shows: async (what) => {
      await expect.poll(screen, patience).toMatch(what)
    },
    run: async (line) => {
      // Numbered, so that the end marker of the previous command is not mistaken for this one.
      const end = ` #${++runs}\n$`
      type(`clear; ${line}; echo "[$?] #${runs}"`)
      press('Enter')
      await expect.poll(() => screen().endsWith(end), patience).toBe(true)
      return screen().slice(0, -end.length)
    },
    [Symbol.dispose]: () => {
      tmux('kill-server')
      rmSync(bin, { recursive: true, force: true })
    },
  }
}
