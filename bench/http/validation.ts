import { compileObjectSchema } from '../../packages/server/src/validation/compile-schema.ts'
import { createValidate } from '../../packages/server/src/validation/schema-validator.ts'
import type { Part } from '../measure/part.ts'
import { modelOf, personOf } from './people.ts'

/** Time to validate a typical object. */
export const validation: Part = async () => {
  const { spec } = modelOf('people', 'Person') as {
    spec: { versions: [{ schema: Parameters<typeof compileObjectSchema>[0] }] }
  }
  const validate = await createValidate(async (thoroughness) =>
    compileObjectSchema(spec.versions[0].schema, thoroughness),
  )
  const people = Array.from({ length: 1_000 }, (_, at) => personOf(at))
  for (let warm = 0; warm < 20; warm++) for (const person of people) await validate(person)
  const began = performance.now()
  for (let round = 0; round < 20; round++) for (const person of people) await validate(person)
  const microseconds = ((performance.now() - began) * 1000) / (20 * people.length)
  const figure = `validation of a typical object takes ${microseconds.toFixed(2)} µs`
  console.log(`\n${figure}`)
  return { figure, short: [] }
}
