import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { sealingKey } from '../../config/sealing-keys.ts'
import { keyIdOf, openText, sealText } from './seal-text.ts'
import { createSecretSealing } from './secret-sealing.ts'

const first = sealingKey(randomBytes(32).toString('base64'))
const second = sealingKey(randomBytes(32).toString('base64url'))
const secret = (data: Readonly<Record<string, string>>) => ({ metadata: { name: 'smtp' }, data })

describe('a sealed text', () => {
  const sealed = sealText('hunter2 ü', { key: first, place: 'here' })

  test('opens with its key and context', () => {
    expect(openText(sealed, { key: first, place: 'here' })).toBe('hunter2 ü')
    expect(keyIdOf(sealed)).toBe(first.id)
  })

  test('differs each time', () => {
    expect(sealText('hunter2 ü', { key: first, place: 'here' })).not.toBe(sealed)
  })

  test('does not open with another context, with another key, or after a change', () => {
    expect(() => openText(sealed, { key: first, place: 'there' })).toThrow('unable to authenticate')
    expect(() => openText(sealed, { key: second, place: 'here' })).toThrow('unable to authenticate')
    for (let at = sealed.lastIndexOf(':') + 1; at < sealed.length - 1; at++) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`
      expect(() => openText(changed, { key: first, place: 'here' })).toThrow('unable to authenticate')
    }
    expect(() => openText('pergola-sealed:1:00000000:AAAA', { key: first, place: 'here' })).toThrow(
      /authentication tag/i,
    )
  })
})

describe('the data of a secret', () => {
  const sealing = createSecretSealing([first, second])

  test('cannot be moved to another secret, nor to another name in it', () => {
    const sealed = sealing.seal(secret({ a: 'x' }), { uid: 'one' })
    expect(sealing.open(sealed, 'one')).toEqual(secret({ a: 'x' }))
    expect(() => sealing.open(sealed, 'two')).toThrow('was not sealed for it')
    const { a = '' } = sealed['data'] as Record<string, string>
    expect(() => sealing.open(secret({ b: a }), 'one')).toThrow('was not sealed for it')
  })

  test('that looks sealed is sealed like any other', () => {
    const stored = sealing.seal(secret({ a: 'x' }), { uid: 'one' })
    const { a = '' } = stored['data'] as Record<string, string>
    const moved = sealing.seal(secret({ b: a }), { uid: 'one', stored })
    expect(sealing.open(moved, 'one')).toEqual(secret({ b: a }))
  })

  test('is resealed with the first key, unless it already is', () => {
    const old = createSecretSealing([second]).seal(secret({ a: 'x', constructor: 'y' }), { uid: 'one' })
    const resealed = sealing.reseal(old, 'one')
    expect(createSecretSealing([first]).open(resealed ?? old, 'one')).toEqual(secret({ a: 'x', constructor: 'y' }))
    expect(sealing.reseal(resealed ?? old, 'one')).toBeUndefined()
    expect(() => createSecretSealing([first]).reseal(old, 'one')).toThrow('add that key to secrets.keys')
  })
})

test.each(['', 'short', randomBytes(31).toString('base64'), `${randomBytes(32).toString('base64')}!`])(
  'a key that is not 32 bytes in base64 is rejected: %s',
  (text) => {
    expect(() => sealingKey(text)).toThrow('must be 32 random bytes in base64')
  },
)
