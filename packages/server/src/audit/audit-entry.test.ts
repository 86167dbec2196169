import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { auditLine, maxLineBytes, type AuditEntry } from './audit-entry.ts'

const time = Date.UTC(2030, 2, 1, 9)
const read = (entry: AuditEntry) => JSON.parse(auditLine(time, entry).toString()) as Record<string, string>

test('a line is one JSON object that begins with the format version and the time', () => {
  const entry = {
    requestId: '1',
    user: 'ann',
    how: 'cookie',
    verb: 'delete',
    decision: 'allowed',
    status: 200,
  } as const
  expect(auditLine(time, entry).toString()).toBe(
    `{"audit":1,"time":"2030-03-01T09:00:00.000Z","requestId":"1","user":"ann","how":"cookie","verb":"delete","decision":"allowed","status":200}\n`,
  )
})

test('names of the maximum length are not shortened', () => {
  const name = 'a'.repeat(253)
  expect(read({ how: 'anonymous', decision: 'denied', name, group: name, user: name, by: name })['name']).toBe(name)
})

describe('secrets are redacted in every field:', () => {
  const secret = `pgs_${'x'.repeat(43)}`
  for (const field of ['user', 'token', 'group', 'resource', 'name', 'path', 'account'] as const) {
    test(field, () => {
      const line = auditLine(time, { how: 'anonymous', decision: 'denied', [field]: `a ${secret} b` }).toString()
      expect(line).toContain(`"${field}":"a … b"`)
    })
  }
})

test('for any input, a line is valid JSON and small enough for an atomic write to a pipe', () => {
  const word = fc.string({ unit: 'binary', maxLength: 2_000 })
  const entries = fc.record({
    user: word,
    token: word,
    group: word,
    resource: word,
    name: word,
    by: word,
    account: word,
  })
  fc.assert(
    fc.property(entries, (words) => {
      const line = auditLine(time, {
        ...words,
        how: 'token',
        requestId: 'a'.repeat(36),
        decision: 'allowed',
        status: 200,
      })
      expect(line.length).toBeLessThanOrEqual(maxLineBytes)
      expect(line.indexOf('\n')).toBe(line.length - 1)
      expect(JSON.parse(line.toString())).toMatchObject({ audit: 1, status: 200 })
    }),
  )
})

test('escaped characters do not exceed the size limit of a line', () => {
  for (const letter of ['"', '\\', '\0', '\u{1F600}', '\uD800', 'é']) {
    const word = letter.repeat(10_000)
    const words = { user: word, token: word, group: word, resource: word, name: word, by: word, account: word }
    expect(auditLine(time, { ...words, how: 'token', decision: 'allowed' }).length).toBeLessThanOrEqual(maxLineBytes)
    const short = letter.repeat(200 / letter.length)
    const shorter = { user: short, token: short, group: short, resource: short, name: short, by: short }
    expect(auditLine(time, { ...shorter, how: 'token', decision: 'allowed' }).length).toBeLessThanOrEqual(maxLineBytes)
  }
})
