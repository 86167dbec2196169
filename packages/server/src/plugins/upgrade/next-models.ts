import type { ModelDeclaration } from '@pergola/api'
import { deepEqual } from '../../base/deep-equal.ts'
import { specOf as modelSpecOf } from '../../models/definition/definition-model.ts'
import { modelObjectName } from '../../models/definition/model-object-name.ts'
import type { Model } from '../../models/model.ts'
import { fromData } from '../../models/object-bytes.ts'
import { writeTogether, type Wish } from '../../models/batch/write-together.ts'
import type { WriteParts } from '../../models/verbs/create.ts'
import { allObjects } from '../../store/all-objects.ts'
import type { StoredObject } from '../../store/store.ts'
import type { InstalledPlugin } from '../run/known-plugins.ts'
import { deletePackage } from '../../store/records/plugin-packages.ts'
import { specOf } from '../plugin-model.ts'
import { declaredSpec } from '../run/register-models.ts'

interface AheadParts extends WriteParts {
  readonly definitions: Model
  readonly plugins: Model
}

/** Stores the next definition of each existing model, so that its new indexes are built. */
export async function declareNext(parts: AheadParts, models: readonly ModelDeclaration[]): Promise<void> {
  const { store, definitions } = parts
  const wishes: Wish[] = []
  for (const next of models) {
    const name = modelObjectName(next)
    const stored = await store.get(definitions, name)
    if (!stored || deepEqual(declaredSpec(stored), next)) continue
    wishes.push({ model: definitions, name, bodyFor: (now) => now && declaring(now, { next }) })
  }
  if (wishes.length > 0) await writeTogether(parts, wishes)
}

/** Removes the next definitions and the candidate. Returns whether that candidate was still set. */
export async function withdraw(parts: AheadParts, plugin: InstalledPlugin): Promise<boolean> {
  const { store, definitions, plugins } = parts
  const stored = await store.get(plugins, plugin.name)
  const spec = stored && stored.uid === plugin.uid ? specOf(fromData(stored.data)) : undefined
  if (!spec?.candidate || spec.candidate.digest !== plugin.spec.candidate?.digest) return false
  const { candidate, ...before } = spec
  const groups = spec.groups.filter((group) => !candidate.adds.includes(group))
  const wishes: Wish[] = [
    { model: plugins, name: plugin.name, bodyFor: () => ({ metadata: {}, spec: { ...before, groups } }) },
  ]
  for await (const one of allObjects(store, definitions)) {
    const { group, next } = modelSpecOf(fromData(one.data))
    if (!next || !spec.groups.includes(group)) continue
    wishes.push({ model: definitions, name: one.name, bodyFor: (now) => now && declaring(now, {}) })
  }
  const isKept = candidate.digest === before.digest || candidate.digest === before.previous?.digest
  await writeTogether(parts, wishes, { also: isKept ? [] : [deletePackage(candidate.digest)] })
  return true
}

function declaring(stored: StoredObject, more: { readonly next?: ModelDeclaration }): object {
  return { metadata: {}, spec: { ...(declaredSpec(stored) as object), ...more } }
}
