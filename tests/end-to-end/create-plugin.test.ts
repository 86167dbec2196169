import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'

const main = join(import.meta.dirname, '../../packages/create-pergola-plugin/src/main.ts')
const folder = mkdtempSync(join(tmpdir(), 'pergola-create-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function create(...args: readonly string[]) {
  const child = spawn(process.execPath, ['--conditions=@pergola/source', main, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, stdout, stderr }
}

describe('npm create pergola-plugin', () => {
  test('writes a plugin and prints the next step', async () => {
    expect(await create('todo', '--group', 'todo.example.com')).toEqual({
      code: 0,
      stdout: '  Wrote todo/ (11 files).  Next:  cd todo && npm install && npm run dev\n',
      stderr: '',
    })
    const written = readdirSync(join(folder, 'todo'), { recursive: true, withFileTypes: true })
    expect(written.filter((entry) => entry.isFile())).toHaveLength(11)
    expect(readFileSync(join(folder, 'todo/src/plugin.ts'), 'utf8')).toContain(
      "apiVersion: 'todo.example.com/v1alpha1'",
    )
  })

  test('asks for the group at a terminal until it is valid', async () => {
    const command = [process.execPath, '--conditions=@pergola/source', main, 'notes']
      .map((word) => `'${word}'`)
      .join(' ')
    const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] })
    let shown = ''
    child.stdout.on('data', (chunk) => (shown += String(chunk)))
    await expect.poll(() => shown).toContain('API group (a domain you own, such as notes.example.com)')
    child.stdin.write('notes\r')
    await expect.poll(() => shown).toContain('"notes" cannot be an API group: it must be a domain')
    child.stdin.write('notes.example.org\r')
    await once(child, 'close')
    expect(shown).toContain('Wrote notes/ (11 files)')
    expect(readFileSync(join(folder, 'notes/src/plugin.ts'), 'utf8')).toContain('notes.example.org/v1alpha1')
  })

  const refusals: readonly (readonly [args: readonly string[], code: number, told: RegExp])[] = [
    [[], 1, /^name the plugin, in one word: {2}npm create pergola-plugin todo\n$/],
    [['one', 'two'], 1, /^name the plugin/],
    [['Fine', '--group', 'fine.example.com'], 1, /^"Fine" cannot be the name of a plugin/],
    [['fine'], 1, /^cannot prompt without a terminal; use --group <domain>\n$/],
    [['fine', '--group', 'fine'], 1, /^"fine" cannot be an API group/],
    [['fine', '--groups', 'fine.example.com'], 1, /^Unknown option '--groups'/],
    [['taken', '--group', 'fine.example.com'], 2, /^taken already exists and is not empty/],
  ]
  test.each(refusals)('%j fails with a one-line reason', async (args, code, told) => {
    mkdirSync(join(folder, 'taken'), { recursive: true })
    writeFileSync(join(folder, 'taken/mine'), '')
    const outcome = await create(...args)
    expect(outcome).toMatchObject({ code, stdout: '' })
    expect(outcome.stderr).toMatch(told)
    expect(outcome.stderr).not.toMatch(/^\s+at /m)
    expect(existsSync(join(folder, 'fine'))).toBe(false)
  })

  test('has help', async () => {
    const { code, stdout } = await create('--help')
    expect(code).toBe(0)
    expect(stdout).toContain('Usage: npm create pergola-plugin <name>')
  })
})
