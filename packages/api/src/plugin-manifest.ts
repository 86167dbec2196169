import type { PluginDefinition } from './plugin-definition.ts'
import type { Rule } from './rules.ts'

/** `plugin.json` in a package: what its author says of it, and what its code says of itself. */
export interface PluginManifest {
  readonly name: string
  /** As semantic versioning writes it. */
  readonly version: string
  readonly displayName?: string
  readonly description?: string
  readonly author?: string
  readonly homepage?: string
  readonly license?: string
  /** A picture, by its path in the package. */
  readonly logo?: string
  /** Versions of the host that it works with, as a range. */
  readonly requires?: string
  /** Other plugins that must be there, each with a range of versions. */
  readonly dependencies?: Readonly<Record<string, string>>
  readonly groups: readonly string[]
  readonly permissions: readonly Rule[]
  /** The major version of what plugin and host say to each other. */
  readonly protocol: number
  /** The first file of its pages for the console, by its path in the package. */
  readonly ui?: string
  readonly definition: PluginDefinition
}
