import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openCgroups } from './cgroups.ts'

/** The interface of cgroups is files, so plain files stand for them. No kernel acts on these. */
const folders: string[] = []
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })))

const pid = 4711
const delegated = {
  self: '1:name=systemd:/\n0::/unit\n',
  'unit/cgroup.controllers': 'cpu memory pids\n',
  'unit/cgroup.procs': `${pid}\n`,
  'unit/cgroup.kill': '',
}

function systemOf(files: Readonly<Record<string, string>>) {
  const top = mkdtempSync(join(tmpdir(), 'pergola-cgroups-'))
  folders.push(top)
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(top, name)), { recursive: true })
    writeFileSync(join(top, name), text)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  const read = (name: string) => readFileSync(join(top, name), 'utf8')
  return { top, read, write, cgroups: openCgroups({ top, self: join(top, 'self'), pid }) }
}

test('in a delegated cgroup the host moves to a child and gives each plugin a cgroup with limits', () => {
  const { top, read, write, cgroups } = systemOf(delegated)
  expect(read('unit/host/cgroup.procs')).toBe(String(pid))
  expect(read('unit/cgroup.subtree_control')).toBe('+memory +pids')
  const cgroup = cgroups?.create('plugin-todo', { memoryBytes: 1_000, processes: 2 })
  expect(['memory.max', 'memory.oom.group', 'pids.max'].map((name) => read(`unit/plugin-todo/${name}`))).toEqual([
    '1000',
    '1',
    '32',
  ])
  expect(cgroup?.add(17)).toBe(true)
  expect(read('unit/plugin-todo/cgroup.procs')).toBe('17')
  write('unit/plugin-todo/cgroup.procs', '17\n18\n')
  write('unit/plugin-todo/memory.current', '900\n')
  write('unit/plugin-todo/cpu.stat', 'usage_usec 2500000\nuser_usec 2000000\n')
  expect(cgroup?.use()).toEqual({ processes: 2, bytes: 900, cpuSeconds: 2.5 })
  write('unit/plugin-todo/memory.events', 'max 3\noom_kill 0\n')
  expect(cgroup?.hasRunOut()).toBe(false)
  write('unit/plugin-todo/memory.events', 'max 3\noom_kill 1\n')
  expect(cgroup?.hasRunOut()).toBe(true)
  cgroup?.kill()
  expect(read('unit/plugin-todo/cgroup.kill')).toBe('1')
  rmSync(join(top, 'unit/plugin-todo'), { recursive: true })
  mkdirSync(join(top, 'unit/plugin-todo'))
  cgroup?.[Symbol.dispose]()
  expect(existsSync(join(top, 'unit/plugin-todo'))).toBe(false)
})

describe('cgroups are not used', () => {
  const cases: readonly (readonly [what: string, files: Readonly<Record<string, string>>])[] = [
    ['without version 2', { ...delegated, self: '4:memory:/unit\n' }],
    ['without the controller of memory', { ...delegated, 'unit/cgroup.controllers': 'cpu pids\n' }],
    ['beside other processes', { ...delegated, 'unit/cgroup.procs': `1\n${pid}\n` }],
    ['where the kernel cannot kill a cgroup', { ...delegated, self: '0::/old\n', 'old/cgroup.procs': `${pid}\n` }],
    ['where the host may not write', { ...delegated, 'unit/host': 'a file instead of a folder' }],
  ]
  test.each(cases)('%s', (_, files) => {
    const { cgroups, read } = systemOf(files)
    expect(cgroups).toBeUndefined()
    expect(read('unit/cgroup.procs')).toBe(files['unit/cgroup.procs'])
  })
})
