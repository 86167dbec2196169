import { describe, expect, it } from 'vitest'
import { keptDrafts } from './kept-drafts.ts'

/** The storage of a tab, which rejects more than `most` characters. */
function storageOf(most = 1_000) {
  const values = new Map<string, string>()
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (value.length > most) throw new Error('QuotaExceededError')
      values.set(key, value)
    },
    removeItem: (key: string) => void values.delete(key),
  }
}

describe('drafts of the tab', () => {
  it('returns a draft to its user, until it is removed', () => {
    const drafts = keptDrafts(storageOf())
    drafts.keep('u1', 'todos/a', { title: 'a' })
    drafts.keep('u1', 'todos/b', { title: 'b' })
    drafts.keep('u1', 'todos/a', undefined)
    expect([drafts.read('u1', 'todos/a'), drafts.read('u1', 'todos/b')]).toEqual([undefined, { title: 'b' }])
  })

  it('does not return a draft to another user of the same tab', () => {
    const drafts = keptDrafts(storageOf())
    drafts.keep('u1', 'todos/a', { title: 'a' })
    expect(drafts.read('u2', 'todos/a')).toBeUndefined()
  })

  it.each([
    ['keeps the drafts of the user who signs in again', 'u1', false],
    ['erases the drafts of the user before', 'u2', true],
  ])('%s', (_, uid, isEmpty) => {
    const drafts = keptDrafts(storageOf())
    drafts.keep('u1', 'todos/a', { title: 'a' })
    drafts.eraseOthers(uid)
    expect(drafts.isEmpty()).toBe(isEmpty)
  })

  it.each([['not JSON'], ['null']])('ignores the content %s', (content) => {
    const storage = storageOf()
    storage.setItem('pergola.drafts', content)
    expect(keptDrafts(storage).read('u1', 'todos/a')).toBeUndefined()
  })

  it('keeps the earlier drafts when the storage is full', () => {
    const drafts = keptDrafts(storageOf(60))
    drafts.keep('u1', 'a', 'short')
    drafts.keep('u1', 'b', 'x'.repeat(100))
    expect([drafts.read('u1', 'a'), drafts.read('u1', 'b')]).toEqual(['short', undefined])
  })
})
