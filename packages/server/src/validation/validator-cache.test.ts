import { expect, test } from 'vitest'
import { compileObjectSchema } from './compile-schema.ts'
import type { ObjectSchema } from './object-schema.ts'
import { createValidatorCache } from './validator-cache.ts'

function countingCompiler() {
  const counts: string[] = []
  const compile = async (schema: ObjectSchema) => {
    counts.push(JSON.stringify(schema))
    return compileObjectSchema(schema, 'every fault')
  }
  return { counts, compiler: { compile } }
}

const schemaOf = (field: string) => ({ properties: { spec: { type: 'object', properties: { [field]: {} } } } })

test('a schema is compiled once, on first use', async () => {
  const { counts, compiler } = countingCompiler()
  const validator = createValidatorCache(compiler).of(schemaOf('a'))
  expect(counts).toEqual([])
  expect(await validator()).toBe(await validator())
  expect(counts).toHaveLength(1)
})

test('the least recently used entry is evicted, and compiled again on next use', async () => {
  const { counts, compiler } = countingCompiler()
  const cache = createValidatorCache(compiler, 2)
  const [a, b, c] = ['a', 'b', 'c'].map((field) => cache.of(schemaOf(field)))
  await a?.()
  await b?.()
  await a?.()
  await c?.()
  expect(counts).toHaveLength(3)
  await a?.()
  expect(counts).toHaveLength(3)
  await b?.()
  expect(counts.at(-1)).toBe(JSON.stringify(schemaOf('b')))
  expect(counts).toHaveLength(4)
})

test('a failed compilation is retried', async () => {
  let tries = 0
  const compile = async (schema: ObjectSchema) => {
    if (++tries === 1) throw new Error('out of time')
    return compileObjectSchema(schema, 'every fault')
  }
  const validator = createValidatorCache({ compile }).of(schemaOf('a'))
  await expect(validator()).rejects.toThrow('out of time')
  expect(await (await validator())({ spec: { a: 1 } })).toEqual([])
})
