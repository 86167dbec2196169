import type { JsonSchema, ObjectSchema } from './object-schema.ts'
import type { Rule } from './rules.ts'

/**
 * A plugin as a document: all that a host, a build or a person has to know of it before any of its code runs. JSON, and the
 * same for the same plugin: lists are in the order of the code, and nothing depends on when or where it was made.
 */
export interface PluginDefinition {
  /** The major version of what plugin and host say to each other. */
  readonly protocol: 1
  /** Roles, rules and permissions begin with it. */
  readonly name: string
  /** What people call it. */
  readonly displayName?: string
  /** What it is for, in a sentence. */
  readonly description?: string
  /** Versions of the host that it works with, as a range. */
  readonly requires?: string
  /** Other plugins that must be there, each with a range of versions. */
  readonly dependencies?: Readonly<Record<string, string>>
  /** Groups that it claims, sorted; those of audiences follow from them. */
  readonly groups: readonly string[]
  /** `<group>/<version>` that its custom APIs are derived from; absent when it has none. */
  readonly api?: string
  /** Kinds of objects it brings. */
  readonly models: readonly ModelDeclaration[]
  /** Custom APIs, one by one. */
  readonly routes: readonly RouteDeclaration[]
  /** Audiences that are a program of their own: every path of their group is the plugin's, and no rule is inferred. */
  readonly apps: readonly Audience[]
  /** Models of which callers have objects of their own, served by the host. */
  readonly owned: readonly OwnedDeclaration[]
  /** Role templates as they are stored, the rules of the routes that name them included. */
  readonly roles: readonly RoleDeclaration[]
  /** Schema of the settings object; a text with `writeOnly: true` is a secret. */
  readonly settings?: JsonSchema
  /** Code that follows the objects of a model. */
  readonly controllers: readonly ControllerDeclaration[]
  /** Code that runs at certain times. */
  readonly schedules: readonly ScheduleDeclaration[]
  /** What the plugin itself asks for beyond its own groups. */
  readonly permissions: readonly Rule[]
}

/** Who a custom API is for. Each has a group of its own beside every group of the plugin. */
export type Audience = 'console' | 'uc' | 'public'

const audiencePrefixes: Readonly<Record<Audience, string>> = { console: 'console.api.', uc: 'uc.api.', public: 'api.' }

/** `console.api.<group>`, `uc.api.<group>` or `api.<group>`. */
export function audienceGroup(audience: Audience, group: string): string {
  return `${audiencePrefixes[audience]}${group}`
}

/** Groups that a plugin claims, each with those of its audiences. */
export function groupsWithAudiences(groups: readonly string[]): readonly string[] {
  return groups.flatMap((group) => [group, ...Object.values(audiencePrefixes).map((prefix) => `${prefix}${group}`)])
}

/** A group that looks like that of an audience; nobody may claim one. */
export function isAudienceGroup(group: string): boolean {
  return Object.values(audiencePrefixes).some((prefix) => group.startsWith(prefix))
}

/** A model as the resource `models` takes it, and what its plugin evaluates for it. */
export interface ModelDeclaration {
  readonly group: string
  readonly kind: string
  readonly singular: string
  readonly plural: string
  readonly specRequired?: boolean
  /** `status` is written by `<name>/status` alone. */
  readonly statusSubresource?: boolean
  /** Exactly one. */
  readonly versions: readonly { readonly name: string; readonly schema: ObjectSchema }[]
  readonly indexes?: readonly (PathIndexDeclaration | FunctionIndexDeclaration)[]
  /** Indexes that are often filtered and sorted by together. */
  readonly composites?: readonly (readonly string[])[]
  /** The plugin is asked before every write of the spec. */
  readonly check: boolean
}

/** An index on what stands at a path, which is its name. */
export interface PathIndexDeclaration {
  readonly name: string
  /** The direction of a sort that names none. */
  readonly order?: 'ASC' | 'DESC'
  readonly unique?: boolean
}

/** An index whose values, texts, are the plugin's to say. */
export interface FunctionIndexDeclaration extends PathIndexDeclaration {
  /** At most one value for an object, or several. */
  readonly evaluated: 'single' | 'multi'
  /** Another one means other values: the index is built anew. */
  readonly revision: number
}

export interface RouteDeclaration {
  readonly audience: Audience
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The whole path: `/apis/uc.api.todo.example.com/v1alpha1/todos/{name}/share`. */
  readonly path: string
  /** The name of a role in `roles`; without one, only the super administrator may call it. */
  readonly allow?: string
  readonly description?: string
  /** Schema of the JSON body. */
  readonly request?: JsonSchema
  /** Schema of the query, an object. */
  readonly query?: JsonSchema
  /** Schema of the JSON answer. */
  readonly response?: JsonSchema
  /** Content types of the body, where it is not JSON. */
  readonly accepts?: readonly string[]
  /** The content type of the answer, where it is not JSON. */
  readonly produces?: string
  /** The answer goes on for as long as somebody listens. */
  readonly stream?: boolean
  /** In bytes. */
  readonly maxBody?: number
}

export interface OwnedDeclaration {
  /** Group and plural of a model in `models`. */
  readonly group: string
  readonly plural: string
  /** The indexed field that holds the owner's user name. */
  readonly path: string
  /** The name of a role in `roles`. */
  readonly allow?: string
}

/** A role template, as it is to be stored. */
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
  /** Group and plural of the model whose objects it follows. */
  readonly group: string
  readonly plural: string
}

export interface ScheduleDeclaration {
  readonly name: string
  /** After so long, counted from the last run: `5m`. */
  readonly every?: string
  /** Five fields, in UTC. */
  readonly cron?: string
}
