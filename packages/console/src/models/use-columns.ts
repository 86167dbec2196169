import { computed, ref, watch, type ComputedRef } from 'vue'
import type { Column } from '../kit/data-table.vue'
import { words } from '../words/words.ts'
import { inTableOrder, offeredColumns, usualColumns, type OfferedColumn } from './columns.ts'
import type { ListedModel } from './listed-models.ts'
import type { Schema } from './schema.ts'

export interface UsedColumns {
  /** Of the table: the name and what was chosen. */
  readonly columns: ComputedRef<readonly Column[]>
  readonly offered: ComputedRef<readonly OfferedColumn[]>
  /** Keys of the shown columns, without the name, which is always shown. */
  readonly chosen: ComputedRef<ReadonlySet<string>>
  readonly choose: (key: string, isOn: boolean) => void
  readonly reset: () => void
}

interface Known {
  readonly model: ListedModel | undefined
  readonly schema: Schema | undefined
}

/** The columns of a model's table, as this browser remembers them. */
export function useColumns(of: () => Known): UsedColumns {
  const place = computed(() => {
    const { model } = of()
    return model && `pergola.columns.${model.group}/${model.plural}`
  })
  const kept = ref<readonly string[]>()
  watch(
    place,
    (now) => {
      kept.value = now === undefined ? undefined : readKept(now)
    },
    { immediate: true },
  )
  const offered = computed((): readonly OfferedColumn[] => {
    const { model, schema } = of()
    if (!model) return []
    const created = { key: 'created', title: words.value.objects.created, sort: 'metadata.creationTimestamp' }
    return [...offeredColumns(model, schema), { ...created, isIndexed: true }]
  })
  const chosen = computed(() => {
    const fields = offered.value.filter(({ key }) => key !== 'created')
    return new Set(kept.value ?? [...usualColumns(fields), 'created'])
  })
  const columns = computed(() => [
    { key: 'name', title: words.value.objects.name, sort: 'metadata.name' },
    ...inTableOrder(offered.value.filter(({ key }) => chosen.value.has(key))),
  ])
  const choose = (key: string, isOn: boolean) => {
    const others = [...chosen.value].filter((one) => one !== key)
    kept.value = isOn ? [...others, key] : others
    if (place.value !== undefined) localStorage.setItem(place.value, JSON.stringify(kept.value))
  }
  const reset = () => {
    kept.value = undefined
    if (place.value !== undefined) localStorage.removeItem(place.value)
  }
  return { columns, offered, chosen, choose, reset }
}

function readKept(place: string): readonly string[] | undefined {
  try {
    const keys: unknown = JSON.parse(localStorage.getItem(place) ?? 'null')
    return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : undefined
  } catch {
    return undefined
  }
}
