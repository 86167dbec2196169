import { sectionOf, type PluginDefinition, type Section } from '@pergola/api'
import { deepEqual } from '../base/deep-equal.ts'
import type { Model } from '../models/model.ts'
import { nonConforming } from '../models/non-conforming.ts'
import type { ObjectSchema } from '../validation/object-schema.ts'
import type { SchemaCompiler } from '../validation/schema-compiler.ts'
import { createValidate, type Validate } from '../validation/schema-validator.ts'
import type { Cursor, Store } from '../store/store.ts'
import { PackageFault } from './unpack-archive.ts'

/** Objects checked per model, so that a plan stays fast however many there are. */
const mostObjects = 10_000
const pageSize = 500

export interface ConformanceParts {
  readonly store: Store
  readonly compiler: SchemaCompiler
  /** All registered models. */
  readonly models: () => readonly Model[]
}

/** For upgrades: how many stored objects the new schemas would refuse. */
export async function describeConformance(
  parts: ConformanceParts,
  { models }: PluginDefinition,
): Promise<readonly Section[]> {
  const lines: string[] = []
  for (const { group, plural, versions } of models) {
    const model = parts.models().find((known) => known.group === group && known.plural === plural)
    // The definition is not validated yet; it can contain anything.
    const schema = Array.isArray(versions) ? versions[0]?.schema : undefined
    if (!model || !schema || deepEqual(schema, model.definition.schema)) continue
    const validate = await validatorFor(parts.compiler, plural, schema)
    const { looked, found, isAll } = await count(parts.store, model, validate)
    if (found > 0) lines.push(`${found} of ${isAll ? looked : `the first ${looked}`} ${plural}, which stay as they are`)
  }
  return sectionOf('does not conform', lines)
}

async function validatorFor(compiler: SchemaCompiler, plural: string, schema: ObjectSchema): Promise<Validate> {
  try {
    return await createValidate((thoroughness) => compiler.compile(schema, thoroughness))
  } catch (error) {
    throw new PackageFault(`the schema of its ${plural} cannot be used: ${(error as Error).message}`)
  }
}

async function count(store: Store, model: Model, validate: Validate) {
  let [looked, found] = [0, 0]
  for (let after: Cursor | undefined; ;) {
    const page = await store.list(model, { limit: pageSize, total: 'none', ...(after !== undefined && { after }) })
    looked += page.items.length
    found += (await nonConforming(model, validate, page.items)).length
    after = page.next
    if (after === undefined || looked >= mostObjects) return { looked, found, isAll: after === undefined }
  }
}
