import { useQuery } from '@tanstack/vue-query'
import { computed, type ComputedRef } from 'vue'
import { client } from '../server/client.ts'
import { useModels, type ListedModel } from './listed-models.ts'
import type { Schema } from './schema.ts'

/** A model as the page address names it; `-` stands for the core group, whose name is empty. */
export interface ModelAddress {
  readonly group: string
  readonly version: string
  readonly plural: string
}

export interface UsedModel {
  readonly model: ComputedRef<ListedModel | undefined>
  readonly schema: ComputedRef<Schema | undefined>
  readonly isMissing: ComputedRef<boolean>
  readonly error: ComputedRef<unknown>
}

interface OpenApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Names, indexes and schema of a model, from the server. */
export function useModel(address: () => ModelAddress): UsedModel {
  const listed = useModels()
  const model = computed(() => {
    const { group, version, plural } = address()
    return listed.data.value?.find(
      (one) => one.group === groupOf(group) && one.version === version && one.plural === plural,
    )
  })
  const document = useQuery({
    queryKey: computed(() => documentKey({ ...address(), group: groupOf(address().group) })),
    queryFn: async ({ signal }) => readDocument({ ...address(), group: groupOf(address().group) }, signal),
  })
  const schema = computed(() => model.value && document.data.value && schemaIn(document.data.value, model.value.kind))
  return {
    model,
    schema,
    isMissing: computed(() => listed.data.value !== undefined && model.value === undefined),
    error: computed(() => listed.error.value ?? document.error.value ?? undefined),
  }
}

type GroupVersion = Pick<ModelAddress, 'group' | 'version'>

/** Query key of the OpenAPI document of a group and version. */
export function documentKey({ group, version }: GroupVersion): readonly string[] {
  return ['openapi', group, version]
}

export async function readDocument({ group, version }: GroupVersion, signal: AbortSignal): Promise<OpenApiDocument> {
  const path = group === '' ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`
  return (await client.call({ method: 'GET', path, signal })) as OpenApiDocument
}

export function schemaIn({ components: { schemas } }: OpenApiDocument, kind: string): Schema | undefined {
  const found = schemas[kind]
  return found && { ...found, definitions: schemas }
}

export function groupOf(inAddress: string): string {
  return inAddress === '-' ? '' : inAddress
}
