import { expect, test } from 'vitest'
import { keyFindings } from './check-keys.ts'
import { diskFinding } from './check-machine.ts'

const gibibyte = 1024 ** 3

test.each([
  ['much', { free: 50, size: 100 }, 'ok', '50.0 GiB of 100.0 GiB'],
  ['little, on a large disk', { free: 3, size: 1000 }, 'ok', '3.0 GiB'],
  ['little', { free: 1.5, size: 100 }, 'warn', '1.5 GiB'],
  ['little, of a small disk that is nearly empty', { free: 0.9, size: 1 }, 'ok', '921 MiB'],
  ['nearly nothing', { free: 0.1, size: 100 }, 'failed', '102 MiB'],
  ['nothing, of a small disk', { free: 0, size: 0.01 }, 'failed', '0 MiB'],
])('free space: %s', (_what, { free, size }, level, words) => {
  const found = diskFinding('database: /var/lib/pergola', { free: free * gibibyte, size: size * gibibyte })
  expect(found).toMatchObject({ level, words: expect.stringContaining(words) as string })
  if (level !== 'ok') expect(found.advice).toContain('du -xh -d 1 /var/lib/pergola | sort -h')
})

test.each([
  ['none', [], [], 'warn', /cannot be stored/],
  ['those of all servers', ['a', 'b'], [['a', 'b'], ['a']], 'ok', /^a, b, as in running servers$/],
  ['without running servers', ['a'], [], 'ok', /^a$/],
  ['a first key that one server lacks', ['b', 'a'], [['a'], ['b', 'a']], 'failed', /^1 of 2 running servers .* b$/],
  ['without one that servers have', ['b'], [['b', 'a']], 'warn', /^running servers have a, which/],
])('keys: %s', (_what, own, running, level, words) =>
  expect(keyFindings(own, running, 'pergola secrets keys')).toMatchObject([
    { level, words: expect.stringMatching(words) as string },
  ]),
)
