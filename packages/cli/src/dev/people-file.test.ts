import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDevFolder } from './dev-folder.ts'
import { forgetPeople, readPeople, writePeople } from './people-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'pergola-people-'))
afterAll(() => rmSync(folder, { recursive: true }))
const people = { url: 'http://localhost:1', pid: process.pid, tokens: { ann: 'pgs_x', nobody: null } }
/** No process has it: beyond what the kernel gives out. */
const nobodysPid = 4_194_305

beforeAll(() => void openDevFolder(folder, { reset: false }))

test('people are found from below the folder, read by their owner alone, and forgotten', () => {
  mkdirSync(join(folder, 'src/deep'), { recursive: true })
  expect(readPeople(folder)).toBeUndefined()
  writePeople(folder, people)
  expect(readPeople(join(folder, 'src/deep'))).toEqual(people)
  expect(statSync(join(folder, '.pergola/people.json')).mode & 0o777).toBe(0o600)
  forgetPeople(folder)
  expect(readPeople(folder)).toBeUndefined()
})

test('those that somebody else may have written are not there, nor those of another machine', () => {
  writePeople(folder, people)
  const file = join(folder, '.pergola/people.json')
  chmodSync(file, 0o644)
  expect(readPeople(folder)).toBeUndefined()
  chmodSync(file, 0o600)
  expect(readPeople(folder)).toEqual(people)
  for (const url of ['https://example.com', 'http://localhost.example.com:80', 'http://localhost:80@example.com']) {
    writePeople(folder, { ...people, url })
    expect(readPeople(folder)).toBeUndefined()
  }
})

test.runIf(process.getuid?.() === 0)('those of another account are not there', () => {
  writePeople(folder, people)
  chownSync(join(folder, '.pergola/people.json'), 65_534, 65_534)
  expect(readPeople(folder)).toBeUndefined()
  forgetPeople(folder)
})

test('those of a host that was killed are not there', () => {
  writePeople(folder, { ...people, pid: nobodysPid })
  expect(readPeople(folder)).toBeUndefined()
})

test('what is kept is kept, until it is to be forgotten', () => {
  const first = openDevFolder(folder, { reset: true })
  expect(openDevFolder(folder, { reset: false }).sealingKey).toBe(first.sealingKey)
  first.markSeeded()
  expect(first.isSeeded()).toBe(true)
  expect(openDevFolder(folder, { reset: true }).isSeeded()).toBe(false)
})
