import { expect, test } from 'vitest'
import type { PackedChange, LogPosition } from '../../server/src/store/store.ts'
import { packMessages, packPosition, packProof, unpackMessage, unpackProof } from './message.ts'
import { sealsOf } from './seals.ts'

const seals = sealsOf(Buffer.alloc(32, 1))
const others = sealsOf(Buffer.alloc(32, 2))
const start: LogPosition = { number: 41, tag: '-7' }

function changesOf(...sizes: number[]): PackedChange[] {
  return sizes.map((size, at) => ({
    position: { number: 42 + at, tag: String(2 ** 47 + at) },
    model: at,
    about: `${42 + at} ${2 ** 47 + at} grüße`,
    data: Buffer.alloc(size, Buffer.from([at, 255])),
  }))
}

const sealed = (changes: readonly PackedChange[], maxBytes: number) =>
  [...packMessages(start, changes, maxBytes)].map(({ bytes }) => seals.seal(bytes))

test('unpacked changes equal the packed ones, with their first and last position', () => {
  const changes = changesOf(0, 3, 200)
  const [bytes = Buffer.alloc(0), ...more] = sealed(changes, 10_000)
  expect(more).toEqual([])
  const message = unpackMessage(seals, bytes)
  expect(message).toMatchObject({ from: start, to: changes[2]?.position })
  expect(message?.changes.map(({ about }) => about)).toEqual(changes.map(({ about }) => about))
  expect(message?.changes.map(({ data }) => data)).toEqual(changes.map(({ data }) => data))
})

test('changes are split over several messages; a change too large for a message is only named', () => {
  const changes = changesOf(100, 100, 2_000, 100)
  const messages = sealed(changes, 700).map((bytes) => unpackMessage(seals, bytes))
  expect(messages.map((one) => [one?.from.number, one?.to.number, one?.changes.length])).toEqual([
    [41, 43, 2],
    [43, 44, 0],
    [44, 45, 1],
  ])
  for (const bytes of sealed(changes, 700)) expect(bytes.length).toBeLessThanOrEqual(700)
})

test('a message can contain only a position', () => {
  expect(unpackMessage(seals, seals.seal(packPosition(start)))).toEqual({ from: start, to: start, changes: [] })
})

test('a message sealed with another key, or changed in transit, is rejected', () => {
  const [bytes = Buffer.alloc(0)] = sealed(changesOf(20), 10_000)
  expect(unpackMessage(others, bytes)).toBeUndefined()
  for (let at = 0; at < bytes.length; at += 7) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(unpackMessage(seals, changed)).toBeUndefined()
  }
  expect(unpackMessage(seals, bytes.subarray(0, 40))).toBeUndefined()
  expect(unpackMessage(seals, Buffer.alloc(0))).toBeUndefined()
})

test('an answer proves only the question that it names; other messages are no proof', () => {
  const [asked, before] = [Buffer.alloc(16, 3), Buffer.alloc(16, 4)]
  const answer = seals.seal(packProof(asked, start))
  expect(unpackProof(seals, answer, asked)).toEqual(start)
  expect(unpackProof(seals, answer, before)).toBeUndefined()
  expect(unpackProof(others, answer, asked)).toBeUndefined()
  expect(unpackProof(seals, seals.seal(packPosition(start)), asked)).toBeUndefined()
  expect(unpackMessage(seals, answer)).toBeUndefined()
})
