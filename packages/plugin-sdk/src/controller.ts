import type { PluginContext } from './handler-context.ts'
import type { AnyModel, Model } from './model/model.ts'
import type { MergePatch, ModelTypes } from '@pergola/client'

export interface ControllerContext extends PluginContext {
  /**
   * Schedules another run for this object in `ms` milliseconds, unless a change triggers one earlier. The last call in a run
   * counts.
   */
  readonly requeueAfter: (ms: number) => void
  /**
   * Fencing token: increases whenever another process takes over. The host rejects writes of the former leader; use `term` to
   * do the same in external systems.
   */
  readonly term: number
}

export interface ControllerOptions<Stored> {
  /** Objects reconciled in parallel, never the same one twice; default 1. */
  readonly concurrency?: number
  /** Cleanup that must succeed before an object is deleted. */
  readonly finalizer?: Finalizer<Stored>
  /**
   * Called with the last stored state after an object is deleted; retried with backoff on failure. Deletions while no process
   * of the plugin runs are not reported: use a finalizer for cleanup that must not be missed.
   */
  readonly deleted?: (object: Stored, context: ControllerContext) => Promise<void>
}

/** Keeps each object that the controller has seen from being deleted until external resources are cleaned up. */
export interface Finalizer<Stored> {
  /**
   * Name without the group: `order` is stored as `<group>/order` in `metadata.finalizers`. For a model of others, with a group
   * of the plugin: `shop.example.com/order`.
   */
  readonly name: string
  /** Called instead of the controller once the object is declared deleted. When it succeeds, the finalizer is removed. */
  readonly finalize: (object: Stored, context: ControllerContext) => Promise<void>
}

export interface Controller {
  readonly model: AnyModel
  readonly reconcile: (object: never, context: ControllerContext) => Promise<void>
  readonly deleted?: (object: never, context: ControllerContext) => Promise<void>
  readonly concurrency: number
  /** Full name, as stored in `metadata.finalizers`. */
  readonly finalizer?: string
}

/**
 * Reconciles the objects of a model. `reconcile` is called when an object appears, after every change of it or of
 * the plugin's settings, and again with backoff after a failure. It runs in one replica at a time; writes are rejected once another replica has taken over.
 */
export function controller<Types extends ModelTypes>(
  model: Model<Types>,
  reconcile: (object: Types['object'], context: ControllerContext) => Promise<void>,
  options: ControllerOptions<Types['object']> = {},
): Controller {
  const { concurrency = 1, finalizer, deleted, ...misspelt } = options
  // Keeps misspelt options, so that `inspect` rejects them.
  const calls = { ...misspelt, model, concurrency, ...(deleted && { deleted }) }
  if (!finalizer) return { ...calls, reconcile }
  const name = finalizer.name.includes('/') ? finalizer.name : `${model.group}/${finalizer.name}`
  return {
    ...calls,
    reconcile: holding(model, name, { reconcile, finalize: finalizer.finalize }),
    finalizer: name,
  }
}

type Reconcile<Stored> = (object: Stored, context: ControllerContext) => Promise<void>

interface Held<Stored> {
  readonly reconcile: Reconcile<Stored>
  readonly finalize: Reconcile<Stored>
}

/** Adds the finalizer before the first `reconcile`, so that no object is deleted without cleanup. */
function holding<Types extends ModelTypes>(
  model: Model<Types>,
  finalizer: string,
  { reconcile, finalize }: Held<Types['object']>,
): Reconcile<Types['object']> {
  return async (object, context) => {
    const { name, version, deletionTimestamp, finalizers = [] } = object.metadata
    const isHeld = finalizers.includes(finalizer)
    // Every object has metadata, which the compiler cannot tell of a type that it does not know yet.
    const patchOf = (next: readonly string[]) =>
      ({ metadata: { version, finalizers: next } }) as MergePatch<Types['object']>
    const write = (next: readonly string[]) => context.client(model).patch(name, patchOf(next))
    if (deletionTimestamp === undefined) {
      // Adding the finalizer is a change, which triggers the next run.
      if (isHeld) await reconcile(object, context)
      else await write([...finalizers, finalizer])
    } else if (isHeld) {
      await finalize(object, context)
      await write(finalizers.filter((other) => other !== finalizer))
    }
  }
}
