import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { containerMemory, memoryWarning } from './memory-room.ts'

const mib = 1024 * 1024

const machines: readonly (readonly [string, Readonly<Record<string, string>>, number | undefined])[] = [
  ['no cgroups', {}, undefined],
  ['a limit of its own', { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/memory.max': '1048576\n' }, 1_048_576],
  ['no limit', { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/memory.max': 'max\n' }, undefined],
  [
    'a lower limit of a parent group',
    {
      'proc/self/cgroup': '0::/pods/one\n',
      'sys/fs/cgroup/pods/memory.max': '5000000\n',
      'sys/fs/cgroup/pods/one/memory.max': '9000000\n',
    },
    5_000_000,
  ],
  [
    'a group path that is not visible in the container',
    { 'proc/self/cgroup': '0::/of/the/machine\n', 'sys/fs/cgroup/memory.max': '7000000\n' },
    7_000_000,
  ],
  [
    'cgroups v1',
    {
      'proc/self/cgroup': '5:cpu,cpuacct:/x\n4:memory:/x\n0::/\n',
      'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
      'sys/fs/cgroup/memory/x/memory.limit_in_bytes': '3000000\n',
    },
    3_000_000,
  ],
]

test.for(machines)('on a machine with %s', ([, files, expected]) => {
  const root = mkdtempSync(join(tmpdir(), 'pergola-groups-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), text)
    }
    expect(containerMemory(root)).toBe(expected)
  } finally {
    rmSync(root, { recursive: true })
  }
})

test('too little memory is reported with figures', () => {
  const plugins = (count: number) => Array<number>(count).fill(128 * mib)
  expect(memoryWarning(1024 * mib, plugins(4))).toBeUndefined()
  expect(memoryWarning(1024 * mib, plugins(5))).toBe(
    '1152 MiB may be needed (512 MiB for the host, 640 MiB for 5 plugins), and there are 1024 MiB; give the container more memory, or lower the limits of plugins',
  )
})
