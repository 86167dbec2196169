import { secretSettings, settingsObjectName, type JsonSchema } from '@pergola/api'
import { isApiError, type ApiObject, type FieldError, type ResourceType } from '@pergola/client'
import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, ref, shallowRef, watch, type Ref } from 'vue'
import type { Schema } from '../models/schema.ts'
import { client } from '../server/client.ts'
import { isRefusal } from '../server/is-refusal.ts'
import { changedSettings, settingsPatch, shownSettings } from './settings-values.ts'

interface Kept extends ApiObject {
  readonly data?: Readonly<Record<string, unknown>>
}
const configMaps: ResourceType<Kept> = { group: '', version: 'v1alpha1', plural: 'configmaps' }
const secrets: ResourceType<Kept> = { group: '', version: 'v1alpha1', plural: 'secrets' }

type Values = Readonly<Record<string, unknown>>

export interface EditedSettings {
  readonly isReady: Readonly<Ref<boolean>>
  readonly readError: Readonly<Ref<unknown>>
  /** Whether secrets of the plugin are stored. */
  readonly stored: Readonly<Ref<'some' | 'none' | 'unknown' | undefined>>
  readonly secret: ReadonlySet<string>
  readonly before: Readonly<Ref<Values>>
  readonly values: Ref<Values>
  readonly changes: Readonly<Ref<readonly string[]>>
  readonly errors: Readonly<Ref<readonly FieldError[]>>
  readonly failure: Readonly<Ref<unknown>>
  readonly isBusy: Readonly<Ref<boolean>>
  readonly reset: () => void
  readonly save: () => Promise<boolean>
}

/** The settings of a plugin: public ones in a config map, secret ones in a secret whose values are never read. */
export function usePluginSettings(name: string, schema: Schema): EditedSettings {
  const queryClient = useQueryClient()
  const object = settingsObjectName(name)
  const secret = new Set(secretSettings(schema as JsonSchema))
  const kept = useQuery({ queryKey: ['settings', name], queryFn: async () => readStored(object) })
  /** Lists omit secret values, so only the existence of the secret is known. */
  const stored = useQuery({
    queryKey: ['settings', name, 'secrets'],
    queryFn: async () => hasSecrets(object),
    enabled: secret.size > 0,
  })

  const before = computed(() => shownSettings(schema, kept.data.value ?? {}))
  const values = shallowRef<Values>({})
  const reset = () => {
    values.value = before.value
  }
  watch(before, reset, { immediate: true })
  const changes = computed(() => changedSettings(schema, before.value, values.value))

  const isBusy = ref(false)
  const failure = shallowRef<unknown>()
  const errors = computed((): readonly FieldError[] => (isApiError(failure.value) ? (failure.value.errors ?? []) : []))

  async function save(): Promise<boolean> {
    if (changes.value.length === 0 || isBusy.value) return false
    isBusy.value = true
    failure.value = undefined
    try {
      const open = changes.value.filter((key) => !secret.has(key))
      const sealed = changes.value.filter((key) => secret.has(key))
      await write(configMaps, object, settingsPatch(open, values.value))
      await write(secrets, object, settingsPatch(sealed, values.value))
      await queryClient.invalidateQueries({ queryKey: ['settings', name] })
      reset()
      return true
    } catch (reason) {
      failure.value = reason
      return false
    } finally {
      isBusy.value = false
    }
  }

  const isReady = computed(
    () => kept.data.value !== undefined && (secret.size === 0 || stored.data.value !== undefined),
  )
  const readError = computed(() => kept.error.value ?? stored.error.value)
  return {
    isReady,
    readError,
    stored: stored.data,
    secret,
    values,
    before,
    changes,
    errors,
    failure,
    isBusy,
    reset,
    save,
  }
}

async function readStored(object: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await client.resource(configMaps).get(object)).data ?? {}
  } catch (error) {
    if (isApiError(error) && error.reason === 'NotFound') return {}
    throw error
  }
}

async function hasSecrets(object: string): Promise<'some' | 'none' | 'unknown'> {
  try {
    const query = new URLSearchParams({ fieldSelector: `metadata.name=${object}` })
    const answer = await client.call({ method: 'GET', path: `/api/v1alpha1/secrets?${query.toString()}` })
    return (answer as { readonly items: readonly unknown[] }).items.length > 0 ? 'some' : 'none'
  } catch (error) {
    if (isRefusal(error)) return 'unknown'
    throw error
  }
}

async function write(type: ResourceType<Kept>, name: string, data: Readonly<Record<string, unknown>>): Promise<void> {
  if (Object.keys(data).length === 0) return
  try {
    await client.resource(type).patch(name, { data })
  } catch (error) {
    if (!isApiError(error) || error.reason !== 'NotFound') throw error
    const given = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null))
    await client.resource(type).create({ metadata: { name }, data: given })
  }
}
