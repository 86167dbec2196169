import { builtInRoles } from '../../access/built-in-roles.ts'
import type { Log } from '../../base/log.ts'
import type { WriteParts } from '../../models/verbs/create.ts'
import { declarerOf, withDeclarer } from '../../models/definition/declarer.ts'
import { declarationOf, type Model } from '../../models/model.ts'
import { fromData, toData } from '../../models/object-bytes.ts'
import { counterUp, readCounter } from '../../store/counters.ts'
import type { Store } from '../../store/store.ts'
import { isRole, servedModel, type ApplyParts } from './declared-objects.ts'
import type { InstalledPlugin } from './known-plugins.ts'
import { openPackage } from '../package/open-package.ts'
import type { Packages } from '../package/packages.ts'
import { underLease } from './under-lease.ts'

const done = 'declared objects adopted'

interface AdoptParts extends WriteParts, Pick<ApplyParts, 'models'> {
  readonly packages: Packages
  readonly log: Log
}

/**
 * Runs once per database: objects that earlier hosts applied for the active packages have no declarer yet and get one. From
 * then on, an object without a declarer belongs to users, and no package overwrites it.
 */
export async function adoptDeclared(parts: AdoptParts, installed: readonly InstalledPlugin[]): Promise<void> {
  if ((await readCounter(parts.store, done)) > 0) return
  await underLease(parts.store, { name: done }, async () => {
    if ((await readCounter(parts.store, done)) > 0) return
    // With plugins `a` and `a-b`, the role `a-b-view` belongs to `a-b`.
    for (const plugin of installed.toSorted((a, b) => b.name.length - a.name.length)) await adopt(parts, plugin)
    await parts.store.sql(counterUp({ is: 'counted', counter: done }))
  })
}

async function adopt(parts: AdoptParts, { name: plugin, spec }: InstalledPlugin): Promise<void> {
  const opened = await openPackage(parts.packages, spec.digest).catch((error: unknown) => {
    parts.log.warn({ plugin, why: String(error) }, 'failed to read the objects that a plugin declares')
  })
  for (const object of opened?.objects ?? []) {
    const { name } = object
    const model = servedModel(parts.models, object)
    const isBuiltIn = isRole(object) && builtInRoles.some((role) => role.name === name)
    if (model && !isBuiltIn) await adoptStored(parts.store, model, { name, plugin })
  }
}

/** Writes only the annotation: no plugin runs yet that could check the object or compute its indexes. */
async function adoptStored(
  store: Store,
  model: Model,
  { name, plugin }: { readonly name: string; readonly plugin: string },
): Promise<void> {
  await store.openModel(declarationOf(model))
  const stored = await store.get(model, name)
  if (!stored || declarerOf(fromData(stored.data)) !== undefined) return
  const { uid, version, storedAs } = stored
  const object = withDeclarer(fromData(stored.data), plugin)
  const held = (object.metadata.finalizers ?? []).length > 0
  const content = { data: toData(object), storedAs, held, indexed: 'kept' as const }
  await store.write([{ type: 'update', model, name, expected: { uid, version }, content, newGeneration: false }])
}
