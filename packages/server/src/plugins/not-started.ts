/** Why a plugin is not started though nothing has failed. */
export class NotStarted extends Error {
  readonly reason: 'BuildingIndexes' | 'WaitingForDependency' | 'BackingOff' | 'DuplicateValues'

  constructor(reason: NotStarted['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** What trying again does not mend: the package itself is at fault. */
export class PluginFailed extends Error {}

/** Another version has taken its place meanwhile. */
export class Superseded extends Error {}
