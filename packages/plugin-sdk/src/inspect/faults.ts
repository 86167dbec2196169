/** Something a plugin may not be like: where in its definition, and what to do. */
export interface DefinitionFault {
  readonly where: string
  readonly message: string
}

/** Everything that is wrong with a plugin's definition, at once. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError'
  readonly faults: readonly DefinitionFault[]

  constructor(plugin: string, faults: readonly DefinitionFault[]) {
    const lines = faults.map(({ where, message }) => `\n  ${where}: ${message}`)
    super(`the plugin "${plugin}" cannot be used as it is defined:${lines.join('')}`)
    this.faults = faults
  }
}

/** Takes down a fault; one that is undefined is none. */
export type Report = (where: string, message: string | undefined) => void

/** In words that name it: `"spec.title" is not ...`. */
export function about(name: string, fault: string | undefined): string | undefined {
  return fault === undefined ? undefined : `"${name}" ${fault}`
}
