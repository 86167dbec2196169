import type { Stage } from '../stage.ts'

/** A user journey from the first click to its goal. Throws when a step fails. */
export interface Journey {
  readonly name: string
  readonly run: (stage: Stage) => Promise<void>
}
