import { systemClock as clock } from '../../base/clock.ts'
import { openRevocations } from '../../credentials/revocations.ts'
import type { Feed } from '../../feed/feed.ts'
import { positionOf } from '../../feed/handing-out.ts'
import { declarationOf, type Model } from '../../models/model.ts'
import type { Store } from '../../store/store.ts'
import { createAccessModels, type AccessModels } from '../access-models.ts'
import { createAccessSource, type PluginClaims } from '../access-source.ts'
import { builtInRoles } from '../built-in-roles.ts'
import { seedRoles } from '../seed-roles.ts'

export interface StoredAccess extends AccessModels, Disposable {
  readonly builtIn: readonly Model[]
}

/** The models of access on a store, with the built-in roles. Rights are read from the store, so no feed has to run. */
export async function openStoredAccess(store: Store, claims: () => PluginClaims): Promise<StoredAccess> {
  const countsUntil = () => Number.POSITIVE_INFINITY
  const access = createAccessSource({ store, clock, feed: await deafFeed(store), countsUntil, claims })
  const models = createAccessModels({ store, clock, rights: access })
  const builtIn = [models.roles, models.bindings, models.users, models.tokens]
  for (const model of builtIn) await store.openModel(declarationOf(model))
  await openRevocations(store)
  await seedRoles({ store, clock }, models.roles, builtInRoles)
  await access.start()
  return { ...models, builtIn, [Symbol.dispose]: () => access[Symbol.dispose]() }
}

async function deafFeed(store: Store): Promise<Feed> {
  const position = positionOf(await store.head())
  const nothing = { [Symbol.dispose]: () => {} }
  return {
    start: async () => {},
    position,
    recent: () => undefined,
    isCurrent: () => true,
    lagMs: () => 0,
    subscribe: () => nothing,
    ...nothing,
  }
}
