import { isApiError, type Rule } from '@pergola/api'
import { createObject, type WriteParts } from '../models/verbs/create.ts'
import type { Model } from '../models/model.ts'
import { fromData } from '../models/object-bytes.ts'
import type { JsonObject } from '../models/object.ts'
import { updateObject } from '../models/verbs/update.ts'
import { builtInRevision, type BuiltInRole } from './built-in-roles.ts'

/** The revision of the built-in rules that a role has; a role without it was created by the first version. */
const revisionKey = 'platform.run/built-in-revision'

/** Creates missing built-in roles one by one: replicas that start together find that some exist already. */
export async function seedRoles(parts: WriteParts, model: Model, roles: readonly BuiltInRole[]): Promise<void> {
  for (const { rules, added = [], ...metadata } of roles) {
    const annotations = { ...metadata.annotations, [revisionKey]: String(builtInRevision) }
    try {
      await createObject(parts, model, { body: { metadata: { ...metadata, annotations }, rules } })
    } catch (error) {
      if (!isApiError(error) || error.reason !== 'AlreadyExists') throw error
      if (added.length > 0) await addRules(parts, model, { name: metadata.name, added })
    }
  }
}

/**
 * Adds the rules that the host's newer version needs. Operators may change built-in roles, so nothing else of a role is
 * touched, and a rule that an operator removes later stays removed.
 */
async function addRules(
  parts: WriteParts,
  model: Model,
  { name, added }: Required<Pick<BuiltInRole, 'name' | 'added'>>,
): Promise<void> {
  const stored = await parts.store.get(model, name)
  if (!stored || revisionOf(fromData(stored.data)) >= builtInRevision) return
  await updateObject(parts, model, {
    name,
    bodyFor: ({ data }) => {
      const role = fromData(data)
      const had = revisionOf(role)
      const rules = added.filter(({ revision }) => revision > had).flatMap((one) => one.rules)
      const annotations = { ...role.metadata.annotations, [revisionKey]: String(builtInRevision) }
      return {
        ...role,
        metadata: { ...role.metadata, annotations },
        rules: [...((role['rules'] ?? []) as readonly Rule[]), ...rules],
      }
    },
  })
}

function revisionOf({ metadata }: JsonObject): number {
  return Number(metadata.annotations?.[revisionKey] ?? 1)
}
