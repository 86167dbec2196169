import { isApiError } from '@pergola/api'
import { pluginCaller } from '../../call/plugin-caller.ts'
import type { Log } from '../../base/log.ts'
import type { WriteParts } from '../../models/verbs/create.ts'
import { deleteObject } from '../../models/verbs/delete.ts'
import type { Model } from '../../models/model.ts'
import type { DeclaredObject } from '../package/declared-object.ts'
import { isForeign, declaredStored, type Declared, type Declarer } from './declared-objects.ts'

export interface PruneParts extends WriteParts {
  /** All registered models. */
  readonly models: () => readonly Model[]
  readonly log: Log
}

/** Deletes the plugin's objects that are no longer declared. */
export async function pruneDeclared(
  parts: PruneParts,
  plugin: Declarer & { readonly name: string },
  { objects }: Pick<Declared, 'objects'>,
): Promise<void> {
  for (const { object, model } of await declaredStored(parts, plugin.name, objects)) {
    const { name } = object
    const caller = isForeign(plugin, object) ? { caller: pluginCaller(plugin.name, '') } : {}
    await deleteObject(parts, model, { name, ...caller }).catch((error: unknown) => {
      if (!isApiError(error)) throw error
      // The object was deleted already.
      if (error.reason === 'NotFound') return
      parts.log.warn(
        { plugin: plugin.name, object: inWords(object), why: error.message },
        'failed to delete an object that the plugin no longer declares',
      )
    })
  }
}

/** For messages: `ConfigMap "defaults"`. */
function inWords({ kind, name }: DeclaredObject): string {
  return `${kind} "${name}"`
}
