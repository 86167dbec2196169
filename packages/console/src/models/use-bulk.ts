import type { ApiObject, ListQuery, ResourceType } from '@pergola/client'
import { shallowRef, type ShallowRef } from 'vue'
import { tellDone, tellProblem } from '../kit/tell.ts'
import { client } from '../server/client.ts'
import { words } from '../words/words.ts'
import { valueAt } from './cell-text.ts'
import { csvOf } from './csv.ts'
import { forEachOf } from './each-object.ts'
import { countOf } from './kind-words.ts'
import { deleteLater } from './late-deletion.ts'
import type { ListedModel } from './listed-models.ts'
import type { Outcome } from './outcome.ts'
import { readUpTo } from './read-up-to.ts'
import type { Selection } from './use-selection.ts'

/** An action on each selected object. */
export interface Action {
  readonly title: string
  readonly danger?: boolean
  /** A question before the action. */
  readonly confirm?: string | undefined
  readonly act: (object: never) => Promise<unknown>
}

interface Bulk {
  /** The selected objects; reads every page if all matches are selected. */
  readonly chosen: () => Promise<readonly ApiObject[]>
  /** Runs an action on the objects. Those for which it fails stay selected. */
  readonly run: (action: Action, objects: readonly ApiObject[]) => Promise<void>
  readonly remove: (objects: readonly ApiObject[]) => void
  readonly save: (columns: readonly { readonly key: string; readonly title: string }[]) => Promise<void>
  /** Of the latest action, if it failed for some objects. */
  readonly outcome: ShallowRef<Outcome | undefined>
}

const pageSize = 500
/** Upper bound; larger jobs are for programs. */
export const mostAtOnce = 5_000

/** Actions on all selected objects of a list. */
export function useBulk(of: {
  readonly type: () => ResourceType
  readonly model: () => ListedModel | undefined
  readonly query: () => ListQuery
  readonly selection: Selection
}): Bulk {
  const outcome = shallowRef<Outcome>()
  const showFailed = (failed: Outcome) => {
    outcome.value = failed
    of.selection.only(failed.failures.map(({ item }) => item.metadata.uid))
  }
  const chosen = async () => {
    if (!of.selection.isAll.value) return of.selection.objects.value
    const { page: _, size: __, ...query } = of.query()
    const resource = client.resource(of.type())
    return readUpTo(mostAtOnce, async (page) => resource.list({ ...query, page, size: pageSize }))
  }
  const run: Bulk['run'] = async (action, objects) => {
    const { title, act } = action
    const failures = await forEachOf(objects, async (object) => void (await act(object as never)))
    of.selection.clear()
    if (failures.length === 0) return tellDone(`${title}: ${countOf(objects.length, of.model())}`)
    const [all, done] = [objects.length, objects.length - failures.length]
    const again = () => void run(action, itemsOf(failures))
    showFailed({ action: title, all, done, failures, again })
  }
  const remove: Bulk['remove'] = (objects) => {
    deleteLater({
      type: of.type(),
      objects,
      what: countOf(objects.length, of.model()),
      onFailures: (result) => showFailed({ ...result, again: () => remove(itemsOf(result.failures)) }),
    })
    of.selection.clear()
  }
  return {
    chosen,
    outcome,
    run,
    remove,
    save: async (columns) => {
      try {
        const objects = await chosen()
        const fields = columns.filter(({ key }) => key !== 'title' && key !== 'name')
        const rows = objects.map((object) => [object.metadata.name, ...fields.map(({ key }) => valueOf(object, key))])
        download(
          `${of.type().plural}.csv`,
          csvOf([words.value.objects.name, ...fields.map(({ title }) => title)], rows),
        )
      } catch (error) {
        tellProblem(error)
      }
    },
  }
}

function itemsOf(failures: Outcome['failures']): readonly ApiObject[] {
  return failures.map(({ item }) => item)
}

function valueOf(object: ApiObject, key: string): unknown {
  return key === 'created' ? object.metadata.creationTimestamp : valueAt(object, key)
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
