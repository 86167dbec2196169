import { isDeepStrictEqual } from 'node:util'
import { ApiError, isApiError } from '@pergola/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cloneJson } from '../../../base/clone-json.ts'
import { isJsonObject } from '../../../base/json-object.ts'
import { jsonPatch } from './json-patch.ts'

const keys = ['a', 'b', '0', '1', 'toString']
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(0, 'x', null),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any
const pointer = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .array(fc.constantFrom(...keys, '-'), { maxLength: 3 })
      .map((all) => all.map((key) => `/${key}`).join('')),
  },
  { weight: 1, arbitrary: fc.constantFrom('a', '/~', '/01', '/a~1b', '/__proto__', '/constructor/prototype') },
)
const operation = fc.record(
  {
    op: fc.constantFrom('add', 'add', 'remove', 'replace', 'move', 'copy', 'test'),
    path: pointer,
    from: pointer,
    value,
  },
  { requiredKeys: ['op', 'path', 'from', 'value'] },
)
const patch = fc.oneof(
  { weight: 20, arbitrary: fc.array(operation, { maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.record({ op: fc.constantFrom('add', 'inc', 7), path: pointer, value }, { requiredKeys: [] }),
    ),
  },
)

test('any patch has the outcome of a naive RFC 6902 implementation, and does not modify its inputs', () => {
  const seen = new Map<string, number>()
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...keys), value, { minKeys: 1, noNullPrototype: true }),
      patch,
      (target, operations) => {
        const before = cloneJson([target, operations])
        const outcome = outcomeOf(() => jsonPatch(deepFreeze(target), deepFreeze(operations)))
        expect(outcome).toEqual(outcomeOf(() => reference(target, operations)))
        expect([target, operations]).toEqual(before)
        if ('result' in outcome) {
          expect(JSON.parse(JSON.stringify(outcome.result))).toEqual(outcome.result)
          expect(partsOf(outcome.result).some(Object.isFrozen)).toBe(false)
        }
        const kind = 'result' in outcome ? 'applied' : outcome.reason
        seen.set(kind, (seen.get(kind) ?? 0) + 1)
      },
    ),
    { numRuns: 3_000 * Number(process.env['CASES'] ?? 1) },
  )
  expect(Math.min(...['applied', 'Invalid', 'BadRequest'].map((kind) => seen.get(kind) ?? 0))).toBeGreaterThan(100)
  expect('x' in {}).toBe(false)
})

function outcomeOf(run: () => unknown): { readonly result: unknown } | { readonly reason: string } {
  try {
    return { result: run() }
  } catch (error) {
    if (!isApiError(error)) throw error
    return { reason: error.reason }
  }
}

function partsOf(any: unknown): readonly object[] {
  return typeof any === 'object' && any !== null ? [any, ...Object.values(any).flatMap(partsOf)] : []
}

function deepFreeze(any: unknown): unknown {
  for (const part of partsOf(any)) Object.freeze(part)
  return any
}

interface Sent {
  readonly op?: unknown
  readonly path?: string
  readonly from?: string
  readonly value?: unknown
}

/** Naive implementation of RFC 6902: every operation creates a new document. */
function reference(target: unknown, operations: readonly Sent[]): unknown {
  if (!operations.every(isSound)) throw new ApiError('BadRequest', 'malformed')
  return operations.reduce<unknown>((document, { op, path = '', from = '', value: given }) => {
    const [to, source] = [stepsOf(path), stepsOf(from)]
    switch (op) {
      case 'add':
        return added(document, to, given)
      case 'copy':
        return added(document, to, read(document, source))
      case 'remove':
        return removed(document, to)
      case 'test':
        return isDeepStrictEqual(read(document, to), given) ? document : unlike()
      case 'replace':
        return to.length === 0 ? given : added(removed(document, to), to, given)
      default:
        if (path === from && read(document, source) !== undefined) return document
        return path.startsWith(`${from}/`) ? invalid() : added(removed(document, source), to, read(document, source))
    }
  }, target)
}

function isSound(sent: Sent): boolean {
  const { op, path, from } = sent
  return (
    isPointer(path) &&
    (op === 'remove' ||
      (['move', 'copy'].includes(String(op)) && isPointer(from)) ||
      (['add', 'replace', 'test'].includes(String(op)) && 'value' in sent))
  )
}

function isPointer(text: string | undefined): boolean {
  return text !== undefined && /^(?:\/(?!__proto__)(?:[^~/]|~0|~1)*)*$/.test(text)
}

function stepsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(/\/([^/]*)/g), ([, part = '']) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function unlike(): never {
  throw new ApiError('PreconditionFailed', 'not equal')
}

function invalid(): never {
  throw new ApiError('Invalid', 'not applicable')
}

function read(document: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return document
  const members = typeof document === 'object' ? Object.entries(document ?? {}) : []
  const found = members.find(([name]) => name === key)
  return found ? read(found[1], rest) : invalid()
}

function added(document: unknown, steps: readonly string[], item: unknown): unknown {
  if (steps.length === 0) return item
  return edited(document, steps, (holder, key) => {
    if (isJsonObject(holder)) return { ...holder, [key]: item }
    if (!Array.isArray(holder)) return invalid()
    const index = Array.from({ length: holder.length + 1 }, (_, at) => String(at)).indexOf(key)
    return key === '-' || index >= 0 ? holder.toSpliced(key === '-' ? holder.length : index, 0, item) : invalid()
  })
}

function removed(document: unknown, steps: readonly string[]): unknown {
  read(document, steps)
  if (steps.length === 0) return invalid()
  return edited(document, steps, (holder, key) =>
    Array.isArray(holder)
      ? holder.toSpliced(Number(key), 1)
      : Object.fromEntries(Object.entries(holder as object).filter(([name]) => name !== key)),
  )
}

/** The document with the container of the last step replaced. */
function edited(
  document: unknown,
  [key = '', ...rest]: readonly string[],
  edit: (holder: unknown, key: string) => unknown,
): unknown {
  if (rest.length === 0) return edit(document, key)
  const inner = edited(read(document, [key]), rest, edit)
  return Array.isArray(document) ? document.with(Number(key), inner) : { ...(document as object), [key]: inner }
}
