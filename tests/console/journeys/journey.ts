import type { Stage } from '../stage.ts'

/** What somebody does, from the first click to what it was for. Throws when it cannot be done. */
export interface Journey {
  readonly name: string
  readonly run: (stage: Stage) => Promise<void>
}
