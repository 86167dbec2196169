import { afterAll, expect, test } from 'vitest'
import type { ObjectSchema } from './object-schema.ts'
import { createSchemaCompiler, SchemaFault } from './schema-compiler.ts'
import { createValidate } from './schema-validator.ts'

const compiler = createSchemaCompiler()
afterAll(() => compiler[Symbol.asyncDispose]())

const fine: ObjectSchema = { properties: { spec: { type: 'string' } } }

/** Nested alternatives, whose evaluated fields have to be tracked separately: seconds of work in 200 KiB. */
function heavy(width: number): ObjectSchema {
  const one = { properties: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}`, { type: 'string' }])) }
  const spec = { anyOf: Array.from({ length: width }, () => ({ anyOf: Array.from({ length: width }, () => one) })) }
  return { properties: { spec } }
}

test('a schema is compiled to code that runs on the main thread', async () => {
  const validate = await createValidate((thoroughness) => compiler.compile(fine, thoroughness))
  expect(await validate({ spec: 1 })).toMatchObject([{ pointer: '/spec', rule: 'type' }])
  expect(await validate({ spec: 'x' })).toEqual([])
})

test('an invalid schema is rejected with the reason', async () => {
  const broken = { properties: { spec: { type: 'string', minLength: -1 } } }
  await expect(compiler.compile(broken, 'every fault')).rejects.toThrow(
    expect.objectContaining({
      name: 'SchemaFault',
      message: expect.stringMatching(/^schema is invalid: .*minLength must be >= 0/) as string,
    }) as Error,
  )
  await expect(compiler.compile({ properties: { spec: { minimun: 1 } } }, 'every fault')).rejects.toThrow(
    /unknown keyword: "minimun"/,
  )
})

test('a schema that takes too long is rejected after 2 s without blocking, and the next one compiles', async () => {
  // Start the thread first, because the event loop also turns while it starts.
  await compiler.compile(fine, 'every fault')
  let isOver = false
  const runaway = compiler
    .compile(heavy(60), 'every fault')
    .catch((error: unknown) => error)
    .finally(() => (isOver = true))
  const next = compiler.compile(fine, 'every fault')
  // A compiler on the main thread would have finished before so many turns.
  for (let turns = 0; turns < 1_000; turns++) await new Promise(setImmediate)
  expect(isOver).toBe(false)
  expect(await runaway).toEqual(new SchemaFault('takes more than 2000 ms to compile'))
  expect(await next).toContain('structure')
})

test('concurrent compilations return the code of their own schema', async () => {
  const programs = await Promise.all(
    ['string', 'integer', 'boolean'].map((type) => {
      const schema = { properties: { spec: { type } } }
      return createValidate((thoroughness) => compiler.compile(schema, thoroughness))
    }),
  )
  const rules = await Promise.all(programs.map(async (validate) => (await validate({ spec: 1 })).length))
  expect(rules).toEqual([1, 0, 1])
})

test('disposing a compiler ends its current compilation, and it can be used again', async () => {
  await using mine = createSchemaCompiler()
  await mine.compile(fine, 'every fault')
  const cut = mine.compile(heavy(60), 'every fault').catch((error: unknown) => error)
  await new Promise((resolve) => setTimeout(resolve, 100))
  await mine[Symbol.asyncDispose]()
  // Ended with the thread, not by the time limit.
  expect(await cut).toEqual(new SchemaFault('takes too much memory to compile'))
  expect(await mine.compile(fine, 'first fault')).toContain('structure')
})
