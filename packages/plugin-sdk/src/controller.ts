import type { PluginContext } from './handler-context.ts'
import type { AnyModel, Model } from './model/model.ts'
import type { ModelTypes } from '@pergola/client'

export interface ControllerContext extends PluginContext {
  /** Comes again in so many milliseconds, if a change does not come first. Of several calls in one run the last counts. */
  readonly requeueAfter: (ms: number) => void
  /**
   * Grows with every process that takes over. The host refuses what a former one writes; whatever is written elsewhere can be
   * compared by it.
   */
  readonly term: number
}

export interface ControllerOptions<Stored> {
  /** How many objects at a time, never one of them twice: 1 unless it is said. */
  readonly concurrency?: number
  /** What has to be done before an object goes. */
  readonly finalizer?: Finalizer<Stored>
  /**
   * Called when an object is gone, with the object as it was last stored, and again with growing waits after a failure. What is
   * deleted while no process of the plugin runs is not told; what must be done for every object is for a finalizer.
   */
  readonly deleted?: (object: Stored, context: ControllerContext) => Promise<void>
}

/** Holds every object that the controller has been called for, until what was begun for it elsewhere is undone. */
export interface Finalizer<Stored> {
  /** In `metadata.finalizers`, behind the group of the model: `order` is `<group>/order`. */
  readonly name: string
  /** Called in place of the controller once the object is declared deleted; when it ends well, the object may go. */
  readonly finalize: (object: Stored, context: ControllerContext) => Promise<void>
}

export interface Controller {
  readonly model: AnyModel
  readonly reconcile: (object: never, context: ControllerContext) => Promise<void>
  readonly deleted?: (object: never, context: ControllerContext) => Promise<void>
  readonly concurrency: number
  /** As it stands in `metadata.finalizers`. */
  readonly finalizer?: string
}

/**
 * Brings the world in line with an object: called when it appears, whenever it changes, and again with growing waits after a
 * failure. On one replica at a time; what it writes is refused once another has taken over.
 */
export function controller<Types extends ModelTypes>(
  model: Model<Types>,
  reconcile: (object: Types['object'], context: ControllerContext) => Promise<void>,
  options: ControllerOptions<Types['object']> = {},
): Controller {
  const { concurrency = 1, finalizer, deleted } = options
  const calls = { model, concurrency, ...(deleted && { deleted }) }
  if (!finalizer) return { ...calls, reconcile }
  const name = `${model.group}/${finalizer.name}`
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

/** Nothing is begun for an object that could go without a word. */
function holding<Types extends ModelTypes>(
  model: Model<Types>,
  finalizer: string,
  { reconcile, finalize }: Held<Types['object']>,
): Reconcile<Types['object']> {
  return async (object, context) => {
    const { name, version, deletionTimestamp, finalizers = [] } = object.metadata
    const isHeld = finalizers.includes(finalizer)
    const write = (next: readonly string[]) =>
      context.client(model).patch(name, { metadata: { version, finalizers: next } })
    if (deletionTimestamp === undefined) {
      // With the finalizer it comes again, since that is a change.
      if (isHeld) await reconcile(object, context)
      else await write([...finalizers, finalizer])
    } else if (isHeld) {
      await finalize(object, context)
      await write(finalizers.filter((other) => other !== finalizer))
    }
  }
}
