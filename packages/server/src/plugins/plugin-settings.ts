import { createHash } from 'node:crypto'
import { pluginOfSettings, secretSettings, type FieldError, type JsonSchema, type ObjectSchema } from '@pergola/api'
import { isJsonObject } from '../base/json-object.ts'
import { LRUCache } from 'lru-cache'
import type { JsonObject } from '../models/object.ts'
import type { Model, WriteContext } from '../models/model.ts'
import { fromData } from '../models/object-bytes.ts'
import type { CheckData } from '../models/secrets/config-map-model.ts'
import type { Store } from '../store/store.ts'
import { fieldError, step } from '../call/field-error.ts'
import type { SchemaCompiler } from '../validation/schema-compiler.ts'
import { schemaErrors } from '../validation/schema-errors.ts'
import { createValidate, type Validate } from '../validation/schema-validator.ts'
import { specOf } from './plugin-model.ts'
import { PackageFault } from './package/unpack-archive.ts'

/** Number of cached validators, one per settings schema. */
const mostValidators = 100

/** Where settings are stored: readable values in a config map, sealed ones in a secret. */
type SettingsPart = 'configmap' | 'secret'

export interface PluginSettings {
  /** Checks for writes of config maps and secrets: those that are settings of a plugin must match its schema. */
  readonly check: Readonly<Record<SettingsPart, CheckData>>
  /** Errors in one part of a plugin's settings, by this schema. */
  faults(schema: JsonSchema | undefined, part: SettingsPart, object: SettingsObject): Promise<readonly FieldError[]>
  /** Throws `PackageFault` for a schema that cannot validate settings. */
  assertUsable(schema: unknown): Promise<void>
}

interface SettingsObject {
  readonly data: unknown
  /** The stored settings; undefined if there are none. */
  readonly stored?: unknown
}

export interface PluginSettingsParts {
  readonly store: Store
  /** The model of plugins. */
  readonly plugins: Model
  readonly compiler: SchemaCompiler
}

export function createPluginSettings({ store, plugins, compiler }: PluginSettingsParts): PluginSettings {
  const validators = new LRUCache<string, Promise<Validate>>({ max: mostValidators })
  const validatorOf = (schema: JsonSchema, part: SettingsPart): Promise<Validate> => {
    const whole = partOf(schema, part)
    const key = createHash('sha256').update(JSON.stringify(whole)).digest('base64url')
    const known = validators.get(key)
    if (known) return known
    const made = createValidate((thoroughness) => compiler.compile(whole, thoroughness))
    validators.set(key, made)
    made.catch(() => validators.delete(key))
    return made
  }
  const faults: PluginSettings['faults'] = async (schema = noSettings, part, { data, stored }) => {
    const misplaced = misplacedFields(schema, part, data)
    if (misplaced.length > 0) return misplaced
    const validate = await validatorOf(schema, part)
    // A copy, so that defaults are not stored: the plugin fills them in, and its next version may have others.
    return validate(structuredClone({ data }), stored === undefined ? {} : { stored: { data: stored } })
  }
  const check =
    (part: SettingsPart): CheckData =>
    async (object, context) => {
      const plugin = pluginOfSettings(object.metadata.name ?? '')
      const installed = plugin === undefined ? undefined : await (context.store ?? store).get(plugins, plugin)
      if (!installed) return []
      const { settings } = specOf(fromData(installed.data))
      return faults(settings, part, settingsIn(object, context))
    }
  return {
    check: { configmap: check('configmap'), secret: check('secret') },
    faults,
    assertUsable: async (schema) => {
      if (schema === undefined) return
      if (!isJsonObject(schema) || schema['type'] !== 'object') throw unusable('are no object')
      const [fault] = schemaErrors(schema)
      if (fault) throw unusable(`cannot be used: ${fault.field} ${fault.message}`)
      try {
        for (const part of ['configmap', 'secret'] as const) await validatorOf(schema, part)
      } catch (error) {
        throw unusable(`cannot be used: their schema ${(error as Error).message}`)
      }
    },
  }
}

const noSettings: JsonSchema = { type: 'object', properties: {} }

function unusable(why: string): PackageFault {
  return new PackageFault(`its settings ${why}`)
}

function settingsIn({ data }: JsonObject, { stored }: WriteContext): SettingsObject {
  return { data, ...(stored && { stored: stored['data'] }) }
}

/** The schema of the part's own properties, as the `data` of its object. */
function partOf({ $defs, ...schema }: JsonSchema, part: SettingsPart): ObjectSchema {
  const isHere = hereIn(schema, part)
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly string[]) : []
  const data = {
    // Constraints on all settings together cannot be checked against the secret ones alone.
    ...(part === 'configmap' ? schema : { type: 'object' }),
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isHere(name))),
    required: required.filter(isHere),
  }
  const definitions = isJsonObject($defs) ? { $defs: $defs as Record<string, JsonSchema> } : {}
  return { properties: { data }, ...definitions }
}

function hereIn(schema: JsonSchema, part: SettingsPart): (field: string) => boolean {
  const secret = new Set(secretSettings(schema))
  return (field) => secret.has(field) === (part === 'secret')
}

/** Errors for known fields in the wrong object: secrets in the config map, others in the secret. */
function misplacedFields(schema: JsonSchema, part: SettingsPart, data: unknown): readonly FieldError[] {
  const { properties } = schema
  const isHere = hereIn(schema, part)
  const known = isJsonObject(properties) ? properties : {}
  const fields = isJsonObject(data) ? Object.keys(data) : []
  const words = {
    configmap: 'is a secret, and belongs in the secret of the same name',
    secret: 'is no secret, and belongs in the configmap of the same name',
  }
  const belongsIn = part === 'configmap' ? 'secret' : 'configmap'
  return fields
    .filter((field) => Object.hasOwn(known, field) && !isHere(field))
    .map((field) => fieldError(step('/data', field), 'settings', { message: words[part], params: { belongsIn } }))
}
