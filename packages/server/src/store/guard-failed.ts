import type { Guard } from './store.ts'

/** A guard of a write did not hold; nothing was written. */
export class GuardFailed extends Error {
  override readonly name = 'GuardFailed'
  readonly guard: Guard

  constructor(guard: Guard) {
    super(`a guard of the write does not hold: ${describe(guard)}`)
    this.guard = guard
  }
}

function describe(guard: Guard): string {
  switch (guard.is) {
    case 'there':
      return `${guard.model.plural} "${guard.name}" does not exist in the expected state`
    case 'target':
      return `${guard.model.plural} "${guard.name}" does not exist or is being deleted`
    case 'none':
      return `some ${guard.model.plural} are selected`
    case 'counted':
      return `the counter "${guard.counter}" is no longer ${guard.expected}`
    case 'no row':
      return guard.statement.text
  }
}
