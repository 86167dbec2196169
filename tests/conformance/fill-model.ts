import { systemClock as clock } from '../../packages/server/src/base/clock.ts'
import { createBuiltInModel } from '../../packages/server/src/models/definition/built-in-model.ts'
import { createOperation } from '../../packages/server/src/models/verbs/create.ts'
import { definitionOf, type ModelSpec } from '../../packages/server/src/models/definition/definition.ts'
import type { JsonObject } from '../../packages/server/src/models/object.ts'
import { declarationOf } from '../../packages/server/src/models/model.ts'
import { openStore } from '../../packages/server/src/store/open-store.ts'

type Named = JsonObject & { readonly metadata: { readonly name: string } }

export interface Filling {
  readonly spec: ModelSpec
  /** The edition of the current declaration. */
  readonly edition: number
  readonly objects: readonly Named[]
}

const batch = 200

/** Stores many objects while the server is stopped, in large transactions: requests would take minutes. */
export async function fillModel(url: string, { spec, edition, objects }: Filling): Promise<void> {
  await using store = await openStore({ url, onConnectionLost: () => {} })
  const model = createBuiltInModel(definitionOf(spec), { edition })
  await store.openModel(declarationOf(model))
  for (let at = 0; at < objects.length; at += batch) {
    const part = objects.slice(at, at + batch)
    await store.write(await Promise.all(part.map((object) => createOperation({ clock }, model, object))))
  }
}
