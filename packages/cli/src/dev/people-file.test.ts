import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDevFolder } from './dev-folder.ts'
import { forgetPeople, readPeople, writePeople } from './people-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'pergola-people-'))
afterAll(() => rmSync(folder, { recursive: true }))
const people = { url: 'http://127.0.0.1:1', pid: process.pid, tokens: { ann: 'pgs_x', nobody: null } }
/** Larger than any process ID of the kernel, so no process has it. */
const nobodysPid = 4_194_305

beforeAll(() => void openDevFolder(folder, { reset: false }))

test('users are found from subfolders, are readable only by their owner, and can be removed', () => {
  mkdirSync(join(folder, 'src/deep'), { recursive: true })
  expect(readPeople(folder)).toBeUndefined()
  writePeople(folder, people)
  expect(readPeople(join(folder, 'src/deep'))).toEqual(people)
  expect(statSync(join(folder, '.pergola/people.json')).mode & 0o777).toBe(0o600)
  forgetPeople(folder)
  expect(readPeople(folder)).toBeUndefined()
})

test('a file that others can read, or with a URL of another machine, is ignored', () => {
  writePeople(folder, people)
  const file = join(folder, '.pergola/people.json')
  chmodSync(file, 0o644)
  expect(readPeople(folder)).toBeUndefined()
  chmodSync(file, 0o600)
  expect(readPeople(folder)).toEqual(people)
  for (const url of ['https://example.com', 'http://127.0.0.1.example.com:80', 'http://127.0.0.1:80@example.com']) {
    writePeople(folder, { ...people, url })
    expect(readPeople(folder)).toBeUndefined()
  }
})

test.runIf(process.getuid?.() === 0)('a file of another account is ignored', () => {
  writePeople(folder, people)
  chownSync(join(folder, '.pergola/people.json'), 65_534, 65_534)
  expect(readPeople(folder)).toBeUndefined()
  forgetPeople(folder)
})

test('a file of a host that was killed is ignored', () => {
  writePeople(folder, { ...people, pid: nobodysPid })
  expect(readPeople(folder)).toBeUndefined()
})

test('the sealing key and the seeded mark are kept until a reset', () => {
  const first = openDevFolder(folder, { reset: true })
  expect(openDevFolder(folder, { reset: false }).sealingKey).toBe(first.sealingKey)
  first.markSeeded()
  expect(first.isSeeded()).toBe(true)
  expect(openDevFolder(folder, { reset: true }).isSeeded()).toBe(false)
})
