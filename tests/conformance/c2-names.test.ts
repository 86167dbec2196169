import { describe, expect, test } from 'vitest'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine, type Api } from './server.ts'

const label63 = 'a'.repeat(63)
/** A domain name of exactly this length, with labels of at most 63 characters. */
const domain = (length: number) => `${label63}.${label63}.${label63}.${'b'.repeat(length - 192)}`

/** Rules that do not depend on the model are tested with roles, which every server has. */
async function post(api: Api, metadata: object) {
  return api.request('POST', '/api/v1alpha1/roles', { body: { metadata, rules: [] } })
}

type Case = readonly [numbers: string, what: string, value: string]

const goodNames: readonly Case[] = [
  ['S2.6-1', '253 characters', 'n'.repeat(253)],
  ['S2.6-2', 'lowercase letters, digits and dashes', 'a-0--z9'],
  ['S2.6-3', 'digits at both ends', '0-9'],
  ['S2.6-3', 'a single letter', 'x'],
]

const badNames: readonly Case[] = [
  ['S2.6-1 C2-65', '254 characters', 'n'.repeat(254)],
  ['S2.6-2 C2-65', 'an uppercase letter', 'aBc'],
  ['S2.6-2', 'a dot', 'a.b'],
  ['S2.6-2', 'an underscore', 'a_b'],
  ['S2.6-2', 'a non-ASCII letter', 'naïve'],
  ['S2.6-2', 'a line break at the end', 'a\n'],
  ['S2.6-3', 'a dash at the start', '-a'],
  ['S2.6-3', 'a dash at the end', 'a-'],
  ['S2.6-3', 'no characters', ''],
]

const goodKeys: readonly Case[] = [
  ['S2.6-4', 'without a prefix', 'plain'],
  ['S2.6-5', 'with a domain name as prefix', 'a-1.example.com/x'],
  ['S2.6-5', 'with a single label as prefix', 'example/x'],
  ['S2.6-6', 'with a prefix of 253 characters', `${domain(253)}/x`],
  ['S2.6-7', 'with a name of 63 characters', `a.b/${'k'.repeat(63)}`],
  ['S2.6-8', 'that starts with a digit and ends with an uppercase letter', '0aZ'],
  ['S2.6-9', 'with dashes, dots and underscores', 'a-b.c_d..e'],
]

const badKeys: readonly Case[] = [
  ['S2.6-5', 'with an empty prefix', '/x'],
  ['S2.6-5', 'with an uppercase letter in the prefix', 'Example.com/x'],
  ['S2.6-5', 'with an underscore in the prefix', 'a_b.com/x'],
  ['S2.6-5', 'with an empty label in the prefix', 'a..b/x'],
  ['S2.6-5', 'with a dot at the end of the prefix', 'a.b./x'],
  ['S2.6-5', 'with a label of the prefix that ends with a dash', 'a-.b/x'],
  ['S2.6-6', 'with a prefix of 254 characters', `${domain(254)}/x`],
  ['S2.6-7', 'with a name of 64 characters', `a.b/${'k'.repeat(64)}`],
  ['S2.6-8', 'that starts with a dash', 'a.b/-x'],
  ['S2.6-8', 'that ends with a dot', 'x.'],
  ['S2.6-8', 'that starts with an underscore', '_x'],
  ['S2.6-8', 'that ends with an underscore', 'x_'],
  ['S2.6-8', 'with an empty name', 'a.b/'],
  ['S2.6-9', 'with two slashes', 'a.b/c/d'],
  ['S2.6-9', 'with a space', 'a b'],
  ['S2.6-9', 'with a non-ASCII letter', 'clé'],
]

const labelValues: readonly (readonly [number: string, what: string, value: string, isAccepted: boolean])[] = [
  ['C2-71', '253 characters', 'v'.repeat(253), true],
  ['C2-71', '254 characters', 'v'.repeat(254), false],
  ['C2-71', '512 bytes', '\u{1f33f}'.repeat(128), true],
  ['C2-71', '513 bytes', `${'\u{1f33f}'.repeat(128)}x`, false],
  ['C2-72', 'no characters', '', true],
  ['C2-73', 'dashes, underscores and dots', '-A-b_c.9.', true],
  ['C2-73', 'spaces, slashes and letters of any script', 'a b/c é 葡萄', true],
  ['C2-73', 'characters of selectors', 'a,b=(c)!<>^\\', true],
  ['C2-73', 'a space at the start', ' a', false],
  ['C2-73', 'a space at the end', 'a ', false],
  ['C2-73', 'a line break', 'a\nb', false],
  ['C2-73', 'a NUL', 'a\u0000b', false],
]

/** `x.example/k0` and so on. */
const keys = (count: number) => Array.from({ length: count }, (_, at) => `x.example/k${at}`)
const map = (count: number) => Object.fromEntries(keys(count).map((key) => [key, 'v']))

const bounds: readonly (readonly [number: string, what: string, metadata: object, isAccepted: boolean])[] = [
  ['C2-67', '64 labels', { labels: map(64) }, true],
  ['C2-67', '65 labels', { labels: map(65) }, false],
  ['C2-67', '65 annotations, which are not counted', { annotations: map(65) }, true],
  ['C2-68', 'annotations of 256 KiB, keys included', { annotations: { 'a.b/c': 'x'.repeat(262_144 - 5) } }, true],
  ['C2-68', 'annotations of more than 256 KiB', { annotations: { 'a.b/c': 'x'.repeat(262_145) } }, false],
  ['C2-68', 'annotations of more than 256 KiB in UTF-8', { annotations: { 'a.b/c': 'é'.repeat(131_073) } }, false],
  ['C2-68', 'two annotations of more than 256 KiB together', { annotations: twoAnnotations(131_073) }, false],
  ['C2-69', '32 finalizers', { finalizers: keys(32) }, true],
  ['C2-69', '33 finalizers', { finalizers: keys(33) }, false],
  ['C2-70', 'a finalizer with prefix and name', { finalizers: ['a.example/b'] }, true],
  ['C2-70', 'a finalizer without a prefix', { finalizers: ['post-protection'] }, true],
  ['C2-70', 'a finalizer that is not a key', { finalizers: ['a/b/-é:'] }, true],
  ['C2-70', 'a finalizer of 253 characters', { finalizers: ['f'.repeat(253)] }, true],
  ['C2-70', 'a finalizer of 254 characters', { finalizers: ['f'.repeat(254)] }, false],
  ['C2-70', 'an empty finalizer', { finalizers: [''] }, false],
  ['C2-70', 'a finalizer with a space', { finalizers: ['a b'] }, false],
  ['C2-70', 'a finalizer with a control character', { finalizers: ['a\u0007b'] }, false],
  ['C2-451', 'a finalizer of the host', { finalizers: ['platform.run/references'] }, false],
  ['S2.3-9', 'the same finalizer twice', { finalizers: ['a.example/b', 'a.example/b'] }, false],
  ['S2.3-13', 'any text as an annotation', { annotations: { 'a.b/c': '{"a": [1]}\n"\\\u0001 é' } }, true],
  ['C2-74', 'owner references', { ownerReferences: [] }, false],
]

function twoAnnotations(bytes: number): object {
  return { 'a.b/c': 'x'.repeat(bytes), 'a.b/d': 'x'.repeat(bytes) }
}

onEachEngine((api) => {
  describe('names', () => {
    for (const [numbers, what, name] of goodNames) {
      test(`${numbers} a name of ${what} is accepted and found by its path`, async () => {
        expectStatus(await post(api, { name }), 201)
        expectStatus(await api.request('GET', `/api/v1alpha1/roles/${name}`), 200)
      })
    }
    for (const [numbers, what, name] of badNames) {
      test(`${numbers} a name with ${what} is rejected`, async () => {
        const answer = await post(api, { name })
        expectProblem(answer, 422, 'Invalid')
        expect(answer.body).toMatchObject({ errors: [{ pointer: '/metadata/name' }] })
      })
    }
  })

  for (const field of ['labels', 'annotations'] as const) {
    describe(`keys of ${field}`, () => {
      const also = field === 'annotations' ? 'S2.3-15 ' : ''
      for (const [numbers, what, key] of goodKeys) {
        test(`${numbers} ${also}a key ${what} is accepted`, async () => {
          const answer = await post(api, { generateName: 'key-', [field]: { [key]: 'v' } })
          expectStatus(answer, 201)
          expect(answer.body).toMatchObject({ metadata: { [field]: { [key]: 'v' } } })
        })
      }
      for (const [numbers, what, key] of badKeys) {
        test(`${numbers} ${also}a key ${what} is rejected`, async () => {
          const answer = await post(api, { generateName: 'key-', [field]: { [key]: 'v' } })
          expectProblem(answer, 422, 'Invalid')
        })
      }
    })
  }

  for (const [number, what, value, isAccepted] of labelValues) {
    test(`${number} a label value of ${what} is ${isAccepted ? 'accepted' : 'rejected'}`, async () => {
      const answer = await post(api, { generateName: 'value-', labels: { 'a.b/c': value } })
      expectStatus(answer, isAccepted ? 201 : 422)
    })
  }

  for (const [number, what, metadata, isAccepted] of bounds) {
    test(`${number} ${what}: ${isAccepted ? 'accepted' : 'rejected'}`, async () => {
      const answer = await post(api, { generateName: 'bound-', ...metadata })
      expectStatus(answer, isAccepted ? 201 : 422)
      if (isAccepted) expect(answer.body).toMatchObject({ metadata })
    })
  }
})
