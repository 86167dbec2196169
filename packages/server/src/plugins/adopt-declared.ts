import { builtInRoles } from '../access/built-in-roles.ts'
import type { Log } from '../base/log.ts'
import type { WriteParts } from '../models/create.ts'
import { declarerOf } from '../models/declarer.ts'
import { fromData } from '../models/object-bytes.ts'
import { updateObject } from '../models/update.ts'
import { counterUp, readCounter } from '../store/counters.ts'
import { isRole, servedModel, type ApplyParts } from './declared-objects.ts'
import type { InstalledPlugin } from './known-plugins.ts'
import { openPackage } from './open-package.ts'
import type { Packages } from './packages.ts'
import { underLease } from './under-lease.ts'

const done = 'declared objects adopted'

interface AdoptParts extends WriteParts, Pick<ApplyParts, 'models'> {
  readonly packages: Packages
  readonly log: Log
}

/**
 * Once for a database: objects that earlier hosts applied for the active packages have no declarer yet and get one. From then
 * on, an object without one belongs to people, and no package overwrites it.
 */
export async function adoptDeclared(parts: AdoptParts, installed: readonly InstalledPlugin[]): Promise<void> {
  if ((await readCounter(parts.store, done)) > 0) return
  await underLease(parts.store, { name: done }, async () => {
    if ((await readCounter(parts.store, done)) > 0) return
    // Of plugins `a` and `a-b`, a role `a-b-view` is that of `a-b`.
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
    const stored = model && (await parts.store.get(model, name))
    const isBuiltIn = isRole(object) && builtInRoles.some((role) => role.name === name)
    if (!stored || isBuiltIn || declarerOf(fromData(stored.data)) !== undefined) continue
    await updateObject(parts, model, { name, declaredBy: plugin, bodyFor: ({ data }) => fromData(data) })
  }
}
