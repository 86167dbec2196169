import { keyOf } from './model-table.ts'
import type { ModelKey } from './store.ts'

/** Another declaration of the model holds now. Nothing was done: open the model with that one, and try again. */
export class StaleModel extends Error {
  override readonly name = 'StaleModel'

  constructor(model: ModelKey) {
    super(`the declaration of ${keyOf(model)} has changed; open the model with the newer one and try again`)
  }
}
