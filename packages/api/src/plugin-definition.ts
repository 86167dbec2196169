import type { DisplayHue, DisplayIcon, ModelDisplay } from './display.ts'
import type { JsonSchema, ObjectSchema } from './object-schema.ts'
import type { PluginLimits } from './plugin-limits.ts'
import type { Rule } from './rules.ts'

/**
 * A plugin as a JSON document: everything that a host, a build or an operator needs to know before running its code. The same
 * plugin always produces the same document: lists keep the order of the code, and nothing depends on time or machine.
 */
export interface PluginDefinition {
  /** Major version of the protocol between plugin and host. */
  readonly protocol: 1
  /** Prefix of the plugin's role names and rule resources; also part of its UI permissions. */
  readonly name: string
  /** Name shown to people. */
  readonly displayName?: string
  /** One sentence that says what the plugin is for. */
  readonly description?: string
  /** Icon and colour in the console. */
  readonly icon?: DisplayIcon
  readonly color?: DisplayHue
  /** Semver range of compatible host versions. */
  readonly requires?: string
  /** Required plugins: name to semver range. */
  readonly dependencies?: Readonly<Record<string, string>>
  /** What it uses at most, where that is more than usual. An operator approves it. */
  readonly needs?: PluginLimits
  /** API groups that the plugin claims, sorted. The audience groups are derived from them and not listed. */
  readonly groups: readonly string[]
  /** `<group>/<version>` from which the paths of the custom APIs are derived; absent when there are none. */
  readonly api?: string
  /** Models that the plugin registers. */
  readonly models: readonly ModelDeclaration[]
  /** Custom APIs, one entry per route. */
  readonly routes: readonly RouteDeclaration[]
  /** Audiences served by a web app: the plugin answers every path of the audience group, and no rules are inferred. */
  readonly apps: readonly Audience[]
  /** Models whose objects the host serves to their owners. */
  readonly owned: readonly OwnedDeclaration[]
  /** Role templates as stored, including the rules inferred from routes that name them. */
  readonly roles: readonly RoleDeclaration[]
  /** JSON Schema of the settings. A string field with `writeOnly: true` is a secret. */
  readonly settings?: JsonSchema
  /** Reconcile functions, each for the objects of one model. */
  readonly controllers: readonly ControllerDeclaration[]
  /** Functions that run periodically or at cron times. */
  readonly schedules: readonly ScheduleDeclaration[]
  /** Rights that the plugin requests beyond its own groups. An operator approves them. */
  readonly permissions: readonly Rule[]
  /** Pages in the console. Their code is loaded when one of them is opened. */
  readonly pages?: readonly PageDeclaration[]
}

/** A page in the console, at `/console/p/<plugin>/<path>`. */
export interface PageDeclaration {
  /** Empty for the first page; segments may be parameters: `boards/:name`. */
  readonly path: string
  /** In English. */
  readonly title: string
  /** In other languages of the console, by their codes. */
  readonly titles?: Readonly<Record<string, string>>
  /** UI permissions; a user needs all of them to see the page and its menu entry. */
  readonly permissions?: readonly string[]
  /** Whether the page has a menu entry; default true, unless the path has parameters. */
  readonly inMenu?: boolean
}

const pagePath = /^([\w-]+|:[A-Za-z]\w*)(\/([\w-]+|:[A-Za-z]\w*))*$/

/** Why a page cannot have this path; undefined when it can. */
export function pagePathFault(path: string): string | undefined {
  if (path === '' || (path.length <= 200 && pagePath.test(path))) return undefined
  return 'must be segments of letters, digits, "-" and "_", or parameters such as :name, joined by "/", without a slash at the ends'
}

/**
 * Whom a custom API serves: `console` administrators, `uc` users and their own data, `public` everybody else. Each audience has
 * its own API group, derived from the plugin's group.
 */
export type Audience = 'console' | 'uc' | 'public'

const audiencePrefixes: Readonly<Record<Audience, string>> = { console: 'console.api.', uc: 'uc.api.', public: 'api.' }

/** `console.api.<group>`, `uc.api.<group>` or `api.<group>`. */
export function audienceGroup(audience: Audience, group: string): string {
  return `${audiencePrefixes[audience]}${group}`
}

/** Expands claimed groups: each group, followed by its three audience groups. */
export function groupsWithAudiences(groups: readonly string[]): readonly string[] {
  return groups.flatMap((group) => [group, ...Object.values(audiencePrefixes).map((prefix) => `${prefix}${group}`)])
}

/** True for a group with an audience prefix. No plugin may claim such a group. */
export function isAudienceGroup(group: string): boolean {
  return Object.values(audiencePrefixes).some((prefix) => group.startsWith(prefix))
}

/** A model as registered in the resource `models`, and which parts of it the plugin evaluates. */
export interface ModelDeclaration {
  readonly group: string
  readonly kind: string
  readonly singular: string
  readonly plural: string
  readonly specRequired?: boolean
  /** The host accepts `status` only at `<name>/status`. */
  readonly statusSubresource?: boolean
  /** Exactly one. */
  readonly versions: readonly { readonly name: string; readonly schema: ObjectSchema }[]
  readonly indexes?: readonly (PathIndexDeclaration | FunctionIndexDeclaration)[]
  /** Combined indexes, for fields that are filtered and sorted together. */
  readonly composites?: readonly (readonly string[])[]
  readonly display?: ModelDisplay
  /** The host calls the plugin's `check` before every write of the spec. */
  readonly check: boolean
}

/** An index on a field. The name of the index is the path of the field. */
export interface PathIndexDeclaration {
  readonly name: string
  /** Sort direction when a query names none; default `ASC`. */
  readonly order?: 'ASC' | 'DESC'
  readonly unique?: boolean
}

/** An index whose string values are computed by a function of the plugin. */
export interface FunctionIndexDeclaration extends PathIndexDeclaration {
  /** `single`: at most one value per object; `multi`: any number. */
  readonly evaluated: 'single' | 'multi'
  /** The host rebuilds the index when this number changes. */
  readonly revision: number
}

export interface RouteDeclaration {
  readonly audience: Audience
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Full path with parameters in braces: `/apis/uc.api.todo.example.com/v1alpha1/todos/{name}/share`. */
  readonly path: string
  /** Name of a role in `roles`. Without it, only the super administrator may call the route. */
  readonly allow?: string
  readonly description?: string
  /** JSON Schema of the request body. */
  readonly request?: JsonSchema
  /** JSON Schema of the query parameters; its type is `object`. */
  readonly query?: JsonSchema
  /** JSON Schema of the response body. */
  readonly response?: JsonSchema
  /** Accepted content types of the request body, when not JSON. */
  readonly accepts?: readonly string[]
  /** Content type of the response, when not JSON. */
  readonly produces?: string
  /** The route streams its response, as an event stream or a WebSocket. */
  readonly stream?: boolean
  /** Maximum size of the request body, in bytes. */
  readonly maxBody?: number
  /** Response headers that the host passes on in addition to the usual ones; in lower case. */
  readonly responseHeaders?: readonly string[]
}

export interface OwnedDeclaration {
  /** Group and plural of the model in `models`. */
  readonly group: string
  readonly plural: string
  /** Path of the indexed field that holds the owner's user name. */
  readonly path: string
  /** Which roles of `roles` may use which verbs. Without it, only the super administrator may use these objects. */
  readonly allow?: readonly { readonly role: string; readonly verbs: readonly OwnedVerb[] }[]
  /** Verbs that are served to owners; default all. */
  readonly verbs?: readonly OwnedVerb[]
  /** Paths of fields that owners cannot change, and cannot set when they create an object. */
  readonly readOnly?: readonly string[]
}

/** What owners can do with their own objects. A collection of them cannot be deleted at once. */
export const ownedVerbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const

export type OwnedVerb = (typeof ownedVerbs)[number]

/** A role template as stored in the resource `roles`. */
export interface RoleDeclaration {
  readonly apiVersion: 'v1alpha1'
  readonly kind: 'Role'
  readonly metadata: {
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations: Readonly<Record<string, string>>
  }
  readonly rules: readonly Rule[]
}

export interface ControllerDeclaration {
  readonly name: string
  /** Group and plural of the model that the controller reconciles. */
  readonly group: string
  readonly plural: string
}

export interface ScheduleDeclaration {
  readonly name: string
  /** Interval since the last run: `5m`. */
  readonly every?: string
  /** Cron expression with five fields, in UTC. */
  readonly cron?: string
}
