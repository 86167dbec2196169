import {
  ApiError,
  limitBounds,
  type FieldError,
  type PluginInstaller,
  type PluginSchedule,
  type PluginSpec,
  type PluginVersion,
} from '@pergola/api'
import type { Caller } from '../call/call.ts'
import { deepEqual } from '../base/deep-equal.ts'
import { pluginCaller } from '../call/plugin-caller.ts'
import { createBuiltInModel } from '../models/definition/built-in-model.ts'
import type { JsonObject } from '../models/object.ts'
import type { ModelDefinition } from '../models/definition/definition.ts'
import type { Model, WriteContext } from '../models/model.ts'
import { fieldError } from '../call/field-error.ts'
import type { ModelKey } from '../store/store.ts'

/** What to store about the caller who installs a package. */
export function installerOf(caller: Caller): PluginInstaller {
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

const text = { type: 'string', maxLength: 500 }
const count = { type: 'integer', minimum: 0 }
const texts = { type: 'array', items: text, maxItems: 1_000 }

const limitFields = {
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(limitBounds).map(([name, { least, most }]) => [
      name,
      { type: 'integer', minimum: least, maximum: most },
    ]),
  ),
}

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
      properties: {
        path: text,
        title: text,
        titles: { type: 'object', additionalProperties: text },
        permissions: texts,
        inMenu: { type: 'boolean' },
      },
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
  needs: limitFields,
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

/** Where the store keeps plugins. */
export const pluginKey = { group: 'plugin.platform.run', plural: 'plugins' } as const satisfies ModelKey

const definition: ModelDefinition = {
  ...pluginKey,
  version: 'v1alpha1',
  kind: 'Plugin',
  singular: 'plugin',
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
          limits: {
            ...limitFields,
            description:
              'What its processes may use on each server: `memory` and `scratch` in MiB, `processes`. Written by operators; a change restarts the plugin.',
          },
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
                failures: count,
                nextRun: text,
                requested: text,
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

/** Enabling and other limits request new processes, so that the state reported by earlier processes does not count for them. */
function prepare(object: JsonObject, { stored }: WriteContext): JsonObject {
  const spec = specOf(object) as Partial<PluginSpec> | undefined
  if (!stored || spec?.enabled !== true) return object
  const { enabled, limits, restarts = 0 } = specOf(stored)
  if (enabled && deepEqual(limits ?? {}, spec.limits ?? {})) return object
  return { ...object, spec: { ...spec, restarts: restarts + 1 } }
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
  const { enabled, limits, ...now } = specOf(object)
  const changed = { ...specOf(stored), enabled, limits }
  const { enabled: __, limits: ___, ...before } = specOf(prepare({ ...stored, spec: changed }, { stored }))
  if (enabled && before.removal)
    return [fieldError('/spec/enabled', 'plugin', 'cannot be true: the plugin is uninstalled; install it again')]
  if (deepEqual(now, before)) return []
  return [
    fieldError('/spec', 'plugin', 'may change only in "enabled" and "limits"; install a package to change the rest'),
  ]
}

/** The fields of a version, without those of the plugin as a whole. */
export function versionOf(said: PluginVersion): PluginVersion {
  const { version, digest, displayName, ui, pages, groups, permissions, settings, dependencies } = said
  const { needs, installedBy, approved, description, author, homepage, license, logo, icon, color } = said
  return {
    version,
    digest,
    ...present({ displayName, description, author, homepage, license, logo, icon, color, ui }),
    ...(ui !== undefined && pages && { pages }),
    groups,
    permissions,
    ...(settings && { settings }),
    ...(dependencies && { dependencies }),
    ...(needs && { needs }),
    ...(installedBy && { installedBy }),
    ...(approved && { approved }),
  }
}

function present(said: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(said).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** The state of its schedules; kept across all changes of the plugin. */
export function schedulesOf(plugin: JsonObject): readonly PluginSchedule[] {
  const status = plugin['status'] as { readonly schedules?: readonly PluginSchedule[] } | undefined
  return status?.schedules ?? []
}

export function specOf(plugin: JsonObject): PluginSpec {
  return plugin['spec'] as PluginSpec
}
