import type { DisplayHue, DisplayIcon, PluginLimits, Rule } from '@pergola/api'
import type { Controller } from './controller.ts'
import type { CallContext } from './handler-context.ts'
import type { AnyModel } from './model/model.ts'
import type { ConsolePage } from './console-page.ts'
import type { Grant, RoleTemplate } from './role-template.ts'
import type { AnyOwned } from './route/owned.ts'
import type { AnyRoute } from './route/route.ts'
import type { Schedule } from './schedule.ts'
import type { AnySettings, Settings } from './settings.ts'

/**
 * A router such as a Hono app, or a function, that answers every path of the audience's group. No rules are inferred: write
 * them in role templates or in `extensions/`.
 */
export type WebApp = ((request: Request, context: CallContext) => Response | Promise<Response>) | WebRouter

/** A router with a `fetch` method. A Hono app receives the context as `c.env`. */
export interface WebRouter {
  fetch(request: Request, context: CallContext): Response | Promise<Response>
}

interface PluginParts {
  /** Lowercase letters, digits and `-`. Prefix of role names and rule resources; also part of UI permissions. */
  readonly name: string
  readonly displayName?: string
  readonly description?: string
  /** Icon and colour in the console. */
  readonly icon?: DisplayIcon
  readonly color?: DisplayHue
  /** Semver range of compatible host versions: `^1.0.0`. */
  readonly requires?: string
  /** Required plugins: name to semver range. */
  readonly dependencies?: Readonly<Record<string, string>>
  /** What its processes use at most on each server, where the usual is too little; an operator must approve it. */
  readonly needs?: PluginLimits
  /** `<group>/<version>` of the routes; defaults to that of the models. */
  readonly api?: `${string}/${string}`
  readonly models?: readonly AnyModel[]
  readonly roles?: readonly RoleTemplate[]
  /** Routes for administrators, served at `console.api.<group>`. */
  readonly console?: readonly AnyRoute[] | WebApp
  /** Routes for users and their own data, served at `uc.api.<group>`. */
  readonly uc?: readonly (AnyRoute | AnyOwned)[] | WebApp
  /** Routes for everybody else, served at `api.<group>`. */
  readonly public?: readonly AnyRoute[] | WebApp
  /** Controllers by name. */
  readonly controllers?: Readonly<Record<string, Controller>>
  readonly schedules?: Readonly<Record<string, Schedule>>
  /** Rights that the plugin needs beyond its own groups; an operator must approve them. */
  readonly permissions?: readonly (Grant | Rule)[]
  /** Pages in the console; `src/ui/index.ts` has their components. */
  readonly pages?: readonly ConsolePage[]
}

export interface PluginOptions<Input> extends PluginParts {
  readonly settings?: Settings<unknown, Input>
}

/** A plugin with any settings. */
export interface AnyPlugin extends PluginParts {
  readonly settings?: AnySettings
}

export interface Plugin<Input> extends AnyPlugin {
  /** Never set at run time; carries the type. */
  readonly settingsInput?: Input
}

/** Declares a plugin. Export the value as the module's default. Runs no code before a host starts the plugin. */
export function definePlugin<Input = never>(options: PluginOptions<Input>): Plugin<Input> {
  return options
}
