import type { DisplayHue, DisplayIcon } from './display.ts'
import type { PluginDefinition } from './plugin-definition.ts'
import type { Rule } from './rules.ts'

/** What the author says about the plugin; nobody has checked it. */
export interface PluginAbout {
  readonly description?: string
  readonly author?: string
  readonly homepage?: string
  readonly license?: string
  /** Path of the logo image in the package. */
  readonly logo?: string
  /** Icon and colour in the console. */
  readonly icon?: DisplayIcon
  readonly color?: DisplayHue
}

/**
 * Content of `plugin.json` in a package: fields from the author's `package.json`, and the definition extracted from the code.
 */
export interface PluginManifest extends PluginAbout {
  readonly name: string
  /** Semantic version of the package. */
  readonly version: string
  readonly displayName?: string
  /** Semver range of compatible host versions. */
  readonly requires?: string
  /** Required plugins: name to semver range. */
  readonly dependencies?: Readonly<Record<string, string>>
  readonly groups: readonly string[]
  readonly permissions: readonly Rule[]
  /** Major version of the protocol between plugin and host. */
  readonly protocol: number
  /** Path of the entry file of the console pages in the package. */
  readonly ui?: string
  readonly definition: PluginDefinition
}
