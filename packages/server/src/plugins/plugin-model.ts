import { ApiError, type FieldError, type JsonSchema, type Rule } from '@pergola/api'
import { deepEqual } from '../base/deep-equal.ts'
import { createBuiltInModel } from '../models/built-in-model.ts'
import type { JsonObject } from '../models/object.ts'
import type { ModelDefinition } from '../models/definition/definition.ts'
import type { Model, WriteContext } from '../models/model.ts'
import { fieldError } from '../base/field-error.ts'

/** One version of a plugin. */
export interface PluginVersion {
  readonly version: string
  /** Of its package. */
  readonly digest: string
  readonly displayName?: string
  /** The first file of its pages for the console. */
  readonly ui?: string
  /** What it claims; of the version that holds, with what those before it have claimed. */
  readonly groups: readonly string[]
  /** What it may beyond them, as an operator approved it. */
  readonly permissions: readonly Rule[]
  /** What its settings look like. */
  readonly settings?: JsonSchema
  /** Other plugins that it needs, each with a range of versions. */
  readonly dependencies?: Dependencies
}

export type Dependencies = Readonly<Record<string, string>>

/** What is known of a plugin that is installed: the version that holds, */
export interface PluginSpec extends PluginVersion {
  readonly enabled: boolean
  /** the one that is made ready to take its place, */
  readonly candidate?: PluginCandidate
  /** and the one before, for going back to. */
  readonly previous?: PluginVersion
  /** It is uninstalled: what it has stored stays, or goes. */
  readonly removal?: 'keep' | 'purge'
  /** How often its processes were asked to be started anew. */
  readonly restarts?: number
}

interface PluginCandidate extends PluginVersion {
  /** The groups that are claimed for it alone. */
  readonly adds: readonly string[]
}

/** How far a version is on a replica, or everywhere. `Started` is the last; whatever is behind it is said with its reason. */
export interface PluginState {
  readonly phase: PluginPhase
  readonly reason?: string
  readonly message?: string
}

export interface ReplicaState extends PluginState {
  readonly replica: string
  readonly digest: string
  /** The last restart that it has followed. */
  readonly restarts?: number
}

export interface PluginStatus extends PluginState {
  readonly replicas?: readonly ReplicaState[]
  /** The last one, or the one that is under way. */
  readonly upgrade?: UpgradeState
  readonly schedules?: readonly ScheduleStatus[]
}

/** How far a schedule of a plugin is; times are RFC 3339. */
export interface ScheduleStatus {
  readonly name: string
  /** When its last run began that came to an end. */
  readonly lastRun?: string
  /** Absent when that run went well. */
  readonly lastError?: string
  readonly nextRun?: string
}

export interface UpgradeState {
  readonly from: string
  readonly to: string
  readonly phase: 'Preparing' | 'Switched' | 'Failed'
  readonly message?: string
}

/** A version that waits for its turn is `Prepared`, on a replica. */
type PluginPhase = 'Disabled' | 'Failed' | 'NotStarted' | 'Prepared' | 'Started'

const text = { type: 'string', maxLength: 500 }
const count = { type: 'integer', minimum: 0 }
const texts = { type: 'array', items: text, maxItems: 1_000 }

const versionFields = {
  version: text,
  digest: text,
  displayName: text,
  ui: text,
  groups: texts,
  settings: { type: 'object', additionalProperties: true },
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
  // Each group belongs to one plugin, by the database's word.
  indexes: [{ name: 'spec.groups', unique: true }],
}

/** The plugins that are installed. What they are made of comes by a package; only whether they run is for people to change. */
export function createPluginModel(): Model {
  return createBuiltInModel(definition, { rules: { ownsStatus: true, prepare, check, beforeDelete } })
}

/** Enabling asks for new processes: what those before have told of themselves must not be taken for theirs. */
function prepare(object: JsonObject, { stored }: WriteContext): JsonObject {
  const spec = specOf(object) as Partial<PluginSpec> | undefined
  if (!stored || specOf(stored).enabled || spec?.enabled !== true) return object
  return { ...object, spec: { ...spec, restarts: (specOf(stored).restarts ?? 0) + 1 } }
}

/** Whoever deleted the object alone would leave what the plugin has brought, with nobody to claim it. */
async function beforeDelete(): Promise<void> {
  const path = '/apis/console.api.platform.run/v1alpha1/plugins/<name>'
  throw new ApiError(
    'BadRequest',
    `a plugin is not deleted but uninstalled: POST ${path}/uninstall keeps its data, ${path}/purge does not`,
  )
}

/** The host itself asks without a caller. */
async function check(object: JsonObject, { caller, stored }: WriteContext): Promise<readonly FieldError[]> {
  if (!caller) return []
  if (!stored)
    return [
      fieldError(
        '/spec',
        'plugin',
        'comes by a package: POST /apis/console.api.platform.run/v1alpha1/plugins/-/packages',
      ),
    ]
  const { enabled, ...now } = specOf(object)
  const { enabled: __, ...before } = specOf(prepare({ ...stored, spec: { ...specOf(stored), enabled } }, { stored }))
  if (enabled && before.removal) return [fieldError('/spec/enabled', 'plugin', 'cannot be: it is uninstalled')]
  if (deepEqual(now, before)) return []
  return [fieldError('/spec', 'plugin', 'can change in "enabled" alone; all else comes by a package')]
}

/** Of a version, without what is said of the plugin as a whole. */
export function versionOf(said: PluginVersion): PluginVersion {
  const { version, digest, displayName, ui, groups, permissions, settings, dependencies } = said
  return {
    version,
    digest,
    ...(displayName !== undefined && { displayName }),
    ...(ui !== undefined && { ui }),
    groups,
    permissions,
    ...(settings && { settings }),
    ...(dependencies && { dependencies }),
  }
}

/** What its schedules have left; stays, whatever else becomes of the plugin. */
export function schedulesOf(plugin: JsonObject): readonly ScheduleStatus[] {
  const status = plugin['status'] as { readonly schedules?: readonly ScheduleStatus[] } | undefined
  return status?.schedules ?? []
}

export function specOf(plugin: JsonObject): PluginSpec {
  return plugin['spec'] as PluginSpec
}
