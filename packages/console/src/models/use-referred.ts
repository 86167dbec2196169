import type { ReferenceTarget } from '@pergola/api'
import { useQuery } from '@tanstack/vue-query'
import { computed, toValue, type ComputedRef, type MaybeRefOrGetter } from 'vue'
import { createNames } from '../access/create-names.ts'
import { searchTerms } from '../search/search-terms.ts'
import { client } from '../server/client.ts'
import { useMay } from '../session/use-may.ts'
import { valueAt } from './cell-text.ts'
import { titleIndexOf, titleOfObject } from './display.ts'
import { useModels, type ListedModel } from './listed-models.ts'

const mostFound = 8
const staleMs = 60_000

export interface Referred {
  /** Undefined if the model is not served. */
  readonly model: ComputedRef<ListedModel | undefined>
  /** The title of the object with the name; its name if it is not known. */
  readonly title: ComputedRef<string>
  /** Objects by the beginning of their name or title; undefined if the signed-in user may not list them. */
  readonly find: ComputedRef<((typed: string) => Promise<readonly Suggestion[]>) | undefined>
}

interface Suggestion {
  readonly name: string
  readonly title: string
}

/** The objects that a field refers to. */
export function useReferred(target: MaybeRefOrGetter<ReferenceTarget>, name: MaybeRefOrGetter<string>): Referred {
  const models = useModels()
  const model = computed(() => {
    const { group, plural } = toValue(target)
    return models.data.value?.find((one) => one.group === group && one.plural === plural)
  })
  const may = useMay(() => ({ verb: 'list', group: toValue(target).group, resource: toValue(target).plural }))
  const read = useQuery({
    queryKey: computed(() => ['referred', toValue(target), toValue(name)]),
    queryFn: async () => (model.value ? titlesOf(model.value)(toValue(name)) : ''),
    enabled: () => may.value && model.value !== undefined && toValue(name) !== '',
    staleTime: staleMs,
  })
  const find = async (typed: string) => {
    const { value } = model
    if (!value) return []
    const hasWords = value.indexes.some((index) => index.name === 'words')
    const terms = typed.trim() === '' ? [[]] : searchTerms(typed, { title: titleIndexOf(value), hasWords })
    const lists = await Promise.all(terms.map(async (term) => list(value, term, mostFound)))
    return [...new Map(lists.flat().map((one) => [one.name, one])).values()].slice(0, mostFound)
  }
  return {
    model,
    title: computed(() => read.data.value || toValue(name)),
    find: computed(() => (may.value ? find : undefined)),
  }
}

const mostAtOnce = 100
const titles = new Map<string, (name: string) => Promise<string>>()

/** Reads the titles of many objects of a model in one request. */
function titlesOf(model: ListedModel): (name: string) => Promise<string> {
  const key = `${model.group}/${model.plural}`
  const known =
    titles.get(key) ??
    createNames(mostAtOnce, async (some) => {
      const found = await list(model, [{ key: 'metadata.name', op: 'in', values: some }], mostAtOnce)
      return new Map(found.map(({ name, title }) => [name, title]))
    })
  titles.set(key, known)
  return known
}

const usualTitles = ['spec.title', 'spec.displayName', 'spec.name', 'spec.subject']

async function list(
  model: ListedModel,
  fieldSelector: ReturnType<typeof searchTerms>[number],
  size: number,
): Promise<readonly Suggestion[]> {
  const { items } = await client.resource(model).list({ fieldSelector, size })
  return items.map((object) => {
    const path = model.display?.title ?? usualTitles.find((one) => typeof valueAt(object, one) === 'string')
    return { name: object.metadata.name, title: titleOfObject(object, path) }
  })
}
