/** An error in a plugin's definition: where it is, and how to fix it. */
export interface DefinitionFault {
  readonly where: string
  readonly message: string
}

/** Thrown with all errors of a plugin's definition at once. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError'
  readonly faults: readonly DefinitionFault[]

  constructor(plugin: string, faults: readonly DefinitionFault[]) {
    const lines = faults.map(({ where, message }) => `\n  ${where}: ${message}`)
    super(`the plugin "${plugin}" cannot be used as it is defined:${lines.join('')}`)
    this.faults = faults
  }
}

/** Records a fault; ignores undefined. */
export type Report = (where: string, message: string | undefined) => void

/** Prefixes a fault with the quoted name: `"spec.title" is not ...`. */
export function about(name: string, fault: string | undefined): string | undefined {
  return fault === undefined ? undefined : `"${name}" ${fault}`
}
