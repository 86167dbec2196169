/** A plugin is not started although nothing has failed. */
export class NotStarted extends Error {
  readonly reason: 'BuildingIndexes' | 'WaitingForDependency' | 'BackingOff' | 'DuplicateValues'

  constructor(reason: NotStarted['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** A failure that a retry does not fix, because the package is faulty. */
export class PluginFailed extends Error {}

/** Another version has replaced this one meanwhile. */
export class Superseded extends Error {}
