import {
  sectionWithItems,
  type ModelDeclaration,
  type PlanItem,
  type PlanSection,
  type PluginDefinition,
} from '@pergola/api'
import { deepEqual } from '../../base/deep-equal.ts'
import type { Model } from '../../models/model.ts'
import type { IndexDefinition } from '../../models/definition/definition.ts'
import { valuesAtPath } from '../../models/definition/path-index.ts'
import { nonConforming } from '../../models/query/non-conforming.ts'
import { fromData } from '../../models/object-bytes.ts'
import type { JsonObject } from '../../models/object.ts'
import type { ObjectSchema } from '../../validation/object-schema.ts'
import type { SchemaCompiler } from '../../validation/schema-compiler.ts'
import { createValidate, type Validate } from '../../validation/schema-validator.ts'
import type { Cursor, Store } from '../../store/store.ts'
import { PackageFault } from '../package/unpack-archive.ts'

/** Objects checked per model, so that a plan stays fast however many there are. */
const mostObjects = 10_000
const pageSize = 500

export interface ConformanceParts {
  readonly store: Store
  readonly compiler: SchemaCompiler
  /** All registered models. */
  readonly models: () => readonly Model[]
}

/** For upgrades: how many stored objects the new schemas would refuse, and how many share a value that is to be unique. */
export async function describeConformance(
  parts: ConformanceParts,
  { models }: PluginDefinition,
): Promise<readonly PlanSection[]> {
  const refused: PlanItem[] = []
  const shared: PlanItem[] = []
  for (const { group, plural, versions, indexes } of models) {
    const model = parts.models().find((known) => known.group === group && known.plural === plural)
    // The definition is not validated yet; it can contain anything.
    const schema = Array.isArray(versions) ? versions[0]?.schema : undefined
    if (!model || !schema) continue
    const isTightened = !deepEqual(schema, model.definition.schema)
    const validate = isTightened ? await validatorFor(parts.compiler, plural, schema) : undefined
    const unique = newlyUnique(model, indexes).map(countDuplicates)
    if (!validate && unique.length === 0) continue
    const { looked, found, isAll } = await count(parts.store, model, { validate, unique })
    const among = { resource: plural, checked: looked, complete: isAll ? 'yes' : 'no' } as const
    if (found > 0) refused.push({ code: 'nonconforming', values: { ...among, found } })
    for (const { path, duplicates } of unique) {
      if (duplicates() === 0) continue
      shared.push({ code: 'duplicate-values', values: { ...among, path, found: duplicates() } })
    }
  }
  return [...sectionWithItems('nonconforming', refused), ...sectionWithItems('duplicates', shared)]
}

/** Paths of indexes that become unique. Only the new version knows the values of functions. */
function newlyUnique(model: Model, indexes: ModelDeclaration['indexes']): readonly string[] {
  if (!Array.isArray(indexes)) return []
  return indexes.flatMap((index: IndexDefinition) => {
    const { name, path = name, unique, evaluated } = index
    const isUnique = model.indexes.some((known) => known.name === name && known.unique)
    return unique === true && evaluated === undefined && typeof path === 'string' && !isUnique ? [path] : []
  })
}

interface Duplicates {
  readonly path: string
  readonly add: (object: JsonObject) => void
  /** Objects so far with a value that another object has. */
  readonly duplicates: () => number
}

function countDuplicates(path: string): Duplicates {
  const holders = new Map<string, number>()
  return {
    path,
    add: (object) => {
      const values = valuesAtPath(object, path).map(({ value }) => JSON.stringify(value))
      for (const value of new Set(values)) holders.set(value, (holders.get(value) ?? 0) + 1)
    },
    duplicates: () => [...holders.values()].filter((held) => held > 1).reduce((sum, held) => sum + held, 0),
  }
}

async function validatorFor(compiler: SchemaCompiler, plural: string, schema: ObjectSchema): Promise<Validate> {
  try {
    return await createValidate((thoroughness) => compiler.compile(schema, thoroughness))
  } catch (error) {
    throw new PackageFault(`the schema of its ${plural} cannot be used: ${(error as Error).message}`)
  }
}

interface Counting {
  readonly validate: Validate | undefined
  readonly unique: readonly Duplicates[]
}

async function count(store: Store, model: Model, { validate, unique }: Counting) {
  let [looked, found] = [0, 0]
  for (let after: Cursor | undefined; ;) {
    const page = await store.list(model, { limit: pageSize, total: 'none', ...(after !== undefined && { after }) })
    looked += page.items.length
    if (validate) found += (await nonConforming(store, model, { validate, items: page.items })).length
    if (unique.length > 0) {
      for (const object of page.items.map(({ data }) => fromData(data))) for (const one of unique) one.add(object)
    }
    after = page.next
    if (after === undefined || looked >= mostObjects) return { looked, found, isAll: after === undefined }
  }
}
