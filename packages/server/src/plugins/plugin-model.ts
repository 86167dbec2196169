import {
  ApiError,
  type FieldError,
  type JsonSchema,
  type PageDeclaration,
  type PluginAbout,
  type Rule,
} from '@pergola/api'
import type { Caller } from '../call/call.ts'
import { deepEqual } from '../base/deep-equal.ts'
import { pluginCaller } from '../call/plugin-caller.ts'
import { createBuiltInModel } from '../models/definition/built-in-model.ts'
import type { JsonObject } from '../models/object.ts'
import type { ModelDefinition } from '../models/definition/definition.ts'
import type { Model, WriteContext } from '../models/model.ts'
import { fieldError } from '../call/field-error.ts'
import type { Approved } from './install/approved.ts'

export interface PluginVersion extends PluginAbout {
  readonly version: string
  /** Digest of its package. */
  readonly digest: string
  readonly displayName?: string
  /** Entry file of its console pages. */
  readonly ui?: string
  /** Its console pages; menus show them without running any of its code. */
  readonly pages?: readonly PageDeclaration[]
  /** The groups that it claims; for the active version, including those that earlier versions claimed. */
  readonly groups: readonly string[]
  /** Rights beyond its groups, as approved by an operator. */
  readonly permissions: readonly Rule[]
  /** The schema of its settings. */
  readonly settings?: JsonSchema
  /** The plugins that it needs, each with a version range. */
  readonly dependencies?: Dependencies
  /** The caller who installed it: its roles grant no more than that caller holds. Absent for packages from the configuration. */
  readonly installedBy?: Installer
  /** The rights that were approved, with when and by whom. */
  readonly approved?: readonly Approved[]
}

interface Installer {
  /** Absent for a plugin that acted for itself. */
  readonly user?: { readonly name: string; readonly uid: string }
  /** The plugin that acted, for the user or for itself. */
  readonly plugin?: string
}

/** What to store about the caller who installs a package. */
export function installerOf(caller: Caller): Installer {
  if (caller.kind === 'plugin') return { plugin: caller.plugin }
  const through = caller.through === undefined ? {} : { plugin: caller.through }
  return caller.kind === 'user' ? { user: { name: caller.name, uid: caller.uid }, ...through } : through
}

/** The caller whose rights limit the roles of the version; undefined if the host itself decided. */
export function installingCaller({ installedBy }: PluginVersion): Caller | undefined {
  if (!installedBy) return undefined
  const { user, plugin } = installedBy
  if (user) return { kind: 'user', ...user, via: 'token', ...(plugin !== undefined && { through: plugin }) }
  return plugin === undefined ? { kind: 'anonymous' } : pluginCaller(plugin, '')
}

export type Dependencies = Readonly<Record<string, string>>

/** An installed plugin, with the fields of its active version. */
export interface PluginSpec extends PluginVersion {
  readonly enabled: boolean
  /** The next version, which is being prepared to replace the active one. */
  readonly candidate?: PluginCandidate
  /** The previous version, for a rollback. */
  readonly previous?: PluginVersion
  /** The plugin is uninstalled: its stored objects are kept or purged. */
  readonly removal?: 'keep' | 'purge'
  /** How often a restart was requested. */
  readonly restarts?: number
}

interface PluginCandidate extends PluginVersion {
  /** The groups claimed only for the candidate. */
  readonly adds: readonly string[]
}

/** The progress of a version on a replica, or everywhere. `Started` is the last phase; earlier ones come with a reason. */
export interface PluginState {
  readonly phase: PluginPhase
  readonly reason?: string
  readonly message?: string
}

export interface ReplicaState extends PluginState {
  readonly replica: string
  readonly digest: string
  /** The last restart request that it has executed. */
  readonly restarts?: number
}

export interface PluginStatus extends PluginState {
  readonly replicas?: readonly ReplicaState[]
  /** The last upgrade, or the one in progress. */
  readonly upgrade?: UpgradeState
  readonly schedules?: readonly ScheduleStatus[]
}

/** The state of a plugin's schedule; times are RFC 3339. */
export interface ScheduleStatus {
  readonly name: string
  /** When the last completed run began. */
  readonly lastRun?: string
  /** Absent when that run succeeded. */
  readonly lastError?: string
  readonly nextRun?: string
}

export interface UpgradeState {
  readonly from: string
  readonly to: string
  readonly phase: 'Preparing' | 'Switched' | 'Failed'
  readonly message?: string
}

/** `Prepared`: on a replica, a version that waits to be switched to. */
type PluginPhase = 'Disabled' | 'Failed' | 'NotStarted' | 'Prepared' | 'Started'

const text = { type: 'string', maxLength: 500 }
const count = { type: 'integer', minimum: 0 }
const texts = { type: 'array', items: text, maxItems: 1_000 }

const versionFields = {
  version: text,
  digest: text,
  displayName: text,
  description: text,
  author: text,
  homepage: text,
  license: text,
  logo: text,
  icon: text,
  color: text,
  ui: text,
  pages: {
    type: 'array',
    maxItems: 50,
    items: {
      type: 'object',
      required: ['path', 'title'],
      properties: { path: text, title: text, permissions: texts, inMenu: { type: 'boolean' } },
    },
  },
  groups: texts,
  settings: { type: 'object', additionalProperties: true },
  installedBy: {
    type: 'object',
    properties: { user: { type: 'object', properties: { name: text, uid: text } }, plugin: text },
  },
  approved: {
    type: 'array',
    maxItems: 1_000,
    description: 'The rights that were approved, when and by whom. Written by the host.',
    items: {
      type: 'object',
      properties: {
        section: text,
        code: text,
        values: { type: 'object', additionalProperties: true },
        approval: { type: 'string', maxLength: 10_000 },
        at: text,
        by: { type: 'object', properties: { user: text, plugin: text } },
      },
    },
  },
  dependencies: { type: 'object', maxProperties: 100, additionalProperties: text },
  permissions: {
    type: 'array',
    maxItems: 100,
    items: {
      type: 'object',
      properties: { apiGroups: texts, resources: texts, resourceNames: texts, nonResourceURLs: texts, verbs: texts },
    },
  },
}
const required = ['version', 'digest', 'groups', 'permissions']
const stateFields = {
  phase: { enum: ['Disabled', 'Failed', 'NotStarted', 'Prepared', 'Started'] },
  reason: text,
  message: { type: 'string', maxLength: 10_000 },
}

const definition: ModelDefinition = {
  group: 'plugin.platform.run',
  version: 'v1alpha1',
  kind: 'Plugin',
  singular: 'plugin',
  plural: 'plugins',
  statusSubresource: true,
  schema: {
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['enabled', ...required],
        properties: {
          enabled: { type: 'boolean' },
          ...versionFields,
          candidate: {
            type: 'object',
            required: [...required, 'adds'],
            properties: { ...versionFields, adds: texts },
          },
          previous: { type: 'object', required, properties: versionFields },
          removal: { enum: ['keep', 'purge'] },
          restarts: count,
        },
      },
      status: {
        type: 'object',
        properties: {
          ...stateFields,
          replicas: {
            type: 'array',
            maxItems: 1_000,
            items: { type: 'object', properties: { replica: text, digest: text, restarts: count, ...stateFields } },
          },
          schedules: {
            type: 'array',
            maxItems: 200,
            items: {
              type: 'object',
              required: ['name'],
              properties: {
                name: text,
                lastRun: text,
                lastError: { type: 'string', maxLength: 2_000 },
                nextRun: text,
              },
            },
          },
          upgrade: {
            type: 'object',
            properties: {
              from: text,
              to: text,
              phase: { enum: ['Preparing', 'Switched', 'Failed'] },
              message: stateFields.message,
            },
          },
        },
      },
    },
  },
  // The database ensures that each group belongs to one plugin.
  indexes: [{ name: 'spec.groups', unique: true }],
  display: { columns: ['spec.version', 'spec.enabled', 'status.phase'] },
}

/** The installed plugins. Their content comes from packages; users can only change whether they run. */
export function createPluginModel(): Model {
  return createBuiltInModel(definition, { rules: { ownsStatus: true, prepare, check, beforeDelete } })
}

/** Enabling requests new processes, so that the state reported by earlier processes does not count for them. */
function prepare(object: JsonObject, { stored }: WriteContext): JsonObject {
  const spec = specOf(object) as Partial<PluginSpec> | undefined
  if (!stored || specOf(stored).enabled || spec?.enabled !== true) return object
  return { ...object, spec: { ...spec, restarts: (specOf(stored).restarts ?? 0) + 1 } }
}

/** Deleting only the object would orphan what the plugin added. */
async function beforeDelete(): Promise<void> {
  const path = '/apis/console.api.platform.run/v1alpha1/plugins/<name>'
  throw new ApiError(
    'BadRequest',
    `plugins cannot be deleted, only uninstalled: POST ${path}/uninstall keeps its data, ${path}/purge does not`,
  )
}

/** Writes by the host itself have no caller. */
async function check(object: JsonObject, { caller, stored }: WriteContext): Promise<readonly FieldError[]> {
  if (!caller) return []
  if (!stored)
    return [
      fieldError(
        '/spec',
        'plugin',
        'is set by installing a package: POST /apis/console.api.platform.run/v1alpha1/plugins/-/packages',
      ),
    ]
  const { enabled, ...now } = specOf(object)
  const { enabled: __, ...before } = specOf(prepare({ ...stored, spec: { ...specOf(stored), enabled } }, { stored }))
  if (enabled && before.removal)
    return [fieldError('/spec/enabled', 'plugin', 'cannot be true: the plugin is uninstalled; install it again')]
  if (deepEqual(now, before)) return []
  return [fieldError('/spec', 'plugin', 'may change only in "enabled"; install a package to change the rest')]
}

/** The fields of a version, without those of the plugin as a whole. */
export function versionOf(said: PluginVersion): PluginVersion {
  const { version, digest, displayName, ui, pages, groups, permissions, settings, dependencies } = said
  const { installedBy, approved, description, author, homepage, license, logo, icon, color } = said
  return {
    version,
    digest,
    ...present({ displayName, description, author, homepage, license, logo, icon, color, ui }),
    ...(ui !== undefined && pages && { pages }),
    groups,
    permissions,
    ...(settings && { settings }),
    ...(dependencies && { dependencies }),
    ...(installedBy && { installedBy }),
    ...(approved && { approved }),
  }
}

function present(said: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(said).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** The state of its schedules; kept across all changes of the plugin. */
export function schedulesOf(plugin: JsonObject): readonly ScheduleStatus[] {
  const status = plugin['status'] as { readonly schedules?: readonly ScheduleStatus[] } | undefined
  return status?.schedules ?? []
}

export function specOf(plugin: JsonObject): PluginSpec {
  return plugin['spec'] as PluginSpec
}
