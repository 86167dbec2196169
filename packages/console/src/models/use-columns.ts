import { computed, ref, watch, type ComputedRef } from 'vue'
import type { Column } from '../kit/data-table.vue'
import { language, words } from '../words/words.ts'
import { offeredColumns, usualColumns, type OfferedColumn } from './columns.ts'
import { titlePathOf } from './display.ts'
import { oneOf } from './kind-words.ts'
import type { ListedModel } from './listed-models.ts'
import { titleAt, type Schema } from './schema.ts'

export interface UsedColumns {
  /** Path and label of the field that is the title. */
  readonly titleField: ComputedRef<{ readonly path: string; readonly label: string } | undefined>
  /** The table's columns: the title and the chosen ones. */
  readonly columns: ComputedRef<readonly Column[]>
  readonly offered: ComputedRef<readonly OfferedColumn[]>
  /** Keys of the visible columns besides the title, which is always visible. */
  readonly chosen: ComputedRef<ReadonlySet<string>>
  readonly choose: (key: string, isOn: boolean) => void
  readonly reset: () => void
}

interface Known {
  readonly model: ListedModel | undefined
  readonly schema: Schema | undefined
}

interface InAddress {
  /** Undefined: the address names no columns. */
  readonly columns: () => readonly string[] | undefined
  readonly change: (columns: readonly string[] | undefined) => void
}

/** The columns of a model's table: those that the address names, else those remembered in this browser. */
export function useColumns(of: () => Known, address?: InAddress): UsedColumns {
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
    const created = {
      key: 'created',
      title: words.value.objects.created,
      sort: 'metadata.creationTimestamp',
      width: 110,
    }
    const name = { key: 'name', title: words.value.objects.name, sort: 'metadata.name', width: 170 }
    const fields = offeredColumns({ model, schema, language: language.value })
    const isNamed = titlePathOf(model, schema) === undefined
    return [...fields, { ...created, isIndexed: true }, ...(isNamed ? [] : [{ ...name, isIndexed: true }])]
  })
  const chosen = computed(() => {
    const { model } = of()
    return new Set(
      address?.columns() ?? kept.value ?? (model ? [...usualColumns(model, offered.value), 'created'] : []),
    )
  })
  const titleField = computed(() => {
    const { model, schema } = of()
    const path = titlePathOf(model, schema)
    return path === undefined ? undefined : { path, label: titleAt(path.split('.'), schema, language.value) }
  })
  const columns = computed((): readonly Column[] => {
    const { model } = of()
    const { path, label } = titleField.value ?? {}
    const isListed = path !== undefined && model?.display?.columns?.includes(path)
    const isSorted = path === undefined || model?.indexes.some(({ name, multi }) => name === path && !multi)
    const title = {
      key: 'title',
      title: isListed ? (label ?? '') : titleHead(model),
      sort: isSorted ? (path ?? 'metadata.name') : undefined,
    }
    // First in the model's order, then in the chosen one.
    return [title, ...[...chosen.value].flatMap((name) => offered.value.filter(({ key }) => key === name))]
  })
  const choose = (key: string, isOn: boolean) => {
    const others = [...chosen.value].filter((one) => one !== key)
    const next = isOn ? [...others, key] : others
    if (address?.columns()) {
      address.change(next)
      return
    }
    kept.value = next
    if (place.value !== undefined) localStorage.setItem(place.value, JSON.stringify(kept.value))
  }
  const reset = () => {
    if (address?.columns()) address.change(undefined)
    kept.value = undefined
    if (place.value !== undefined) localStorage.removeItem(place.value)
  }
  return { columns, offered, titleField, chosen, choose, reset }
}

/** `PurchaseOrder` as `Purchase order`. */
function titleHead(model: ListedModel | undefined): string {
  if (!model) return ''
  const text = oneOf(model)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function readKept(place: string): readonly string[] | undefined {
  try {
    const keys: unknown = JSON.parse(localStorage.getItem(place) ?? 'null')
    return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : undefined
  } catch {
    return undefined
  }
}
