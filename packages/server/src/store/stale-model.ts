import { keyOf } from './model-table.ts'
import type { ModelKey } from './store.ts'

/** Another declaration of the model is in force. Nothing was done: open the model with that declaration and retry. */
export class StaleModel extends Error {
  override readonly name = 'StaleModel'

  constructor(model: ModelKey) {
    super(`the declaration of ${keyOf(model)} has changed; open the model with the newer one and try again`)
  }
}
