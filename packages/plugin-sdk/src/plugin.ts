import type { Rule } from '@pergola/api'
import type { Controller } from './controller.ts'
import type { CallContext } from './handler-context.ts'
import type { AnyModel } from './model/model.ts'
import type { Grant, RoleTemplate } from './role-template.ts'
import type { AnyOwned } from './route/owned.ts'
import type { AnyRoute } from './route/route.ts'
import type { Schedule } from './schedule.ts'
import type { AnySettings, Settings } from './settings.ts'

/**
 * A whole router, such as a Hono app, or any function: every path of the audience's group is its own, and the rules are written
 * by hand, in role templates or in `extensions/`.
 */
export type WebApp = ((request: Request, context: CallContext) => Response | Promise<Response>) | WebRouter

/** A Hono app finds the context as `c.env`. */
export interface WebRouter {
  fetch(request: Request, context: CallContext): Response | Promise<Response>
}

interface PluginParts {
  /** Small letters, digits and `-`; roles, rules and permissions begin with it. */
  readonly name: string
  readonly displayName?: string
  readonly description?: string
  /** Versions of the host: `^1.0.0`. */
  readonly requires?: string
  /** Other plugins, and which versions of them. */
  readonly dependencies?: Readonly<Record<string, string>>
  /** `<group>/<version>` that the routes are served below; that of the models unless it is said. */
  readonly api?: `${string}/${string}`
  readonly models?: readonly AnyModel[]
  readonly roles?: readonly RoleTemplate[]
  /** `console.api.<group>`: for the administration. */
  readonly console?: readonly AnyRoute[] | WebApp
  /** `uc.api.<group>`: for people about their own affairs. */
  readonly uc?: readonly (AnyRoute | AnyOwned)[] | WebApp
  /** `api.<group>`: for everybody else. */
  readonly public?: readonly AnyRoute[] | WebApp
  /** By name. */
  readonly controllers?: Readonly<Record<string, Controller>>
  readonly schedules?: Readonly<Record<string, Schedule>>
  /** What the plugin itself needs beyond its own groups; the operator is asked. */
  readonly permissions?: readonly (Grant | Rule)[]
}

export interface PluginOptions<Input> extends PluginParts {
  readonly settings?: Settings<unknown, Input>
}

/** A plugin, whatever its settings are. */
export interface AnyPlugin extends PluginParts {
  readonly settings?: AnySettings
}

export interface Plugin<Input> extends AnyPlugin {
  /** Never there; it carries the type. */
  readonly settingsInput?: Input
}

/** A plugin is this value, and its module's default export. Nothing runs before a host asks for it. */
export function definePlugin<Input = never>(options: PluginOptions<Input>): Plugin<Input> {
  return options
}
