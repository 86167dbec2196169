import type { ApiObject, ListQuery, ResourceType } from '@pergola/client'
import { shallowRef, type ShallowRef } from 'vue'
import { tellDone, tellProblem } from '../kit/tell.ts'
import { client } from '../server/client.ts'
import { words } from '../words/words.ts'
import { valueAt } from './cell-text.ts'
import { csvOf } from './csv.ts'
import { forEachOf, type Failure } from './each-object.ts'
import { deleteLater } from './late-deletion.ts'
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
  /** Runs an action on the objects, and remembers failures. */
  readonly run: (action: Action, objects: readonly ApiObject[]) => Promise<void>
  readonly remove: (objects: readonly ApiObject[]) => void
  readonly save: (columns: readonly { readonly key: string; readonly title: string }[]) => Promise<void>
  readonly failures: ShallowRef<readonly Failure<ApiObject>[]>
}

const pageSize = 500
/** Upper bound; larger jobs are for programs. */
export const mostAtOnce = 5_000

/** Actions on all selected objects of a list. */
export function useBulk(of: {
  readonly type: () => ResourceType
  readonly query: () => ListQuery
  readonly selection: Selection
}): Bulk {
  const failures = shallowRef<readonly Failure<ApiObject>[]>([])
  const chosen = async () => {
    if (!of.selection.isAll.value) return of.selection.objects.value
    const { page: _, size: __, ...query } = of.query()
    const resource = client.resource(of.type())
    return readUpTo(mostAtOnce, async (page) => resource.list({ ...query, page, size: pageSize }))
  }
  return {
    chosen,
    failures,
    run: async ({ title, act }, objects) => {
      const failed = await forEachOf(objects, async (object) => void (await act(object as never)))
      failures.value = failed
      if (failed.length === 0) tellDone(`${title}: ${words.value.objects.countOf(objects.length)}`)
      of.selection.clear()
    },
    remove: (objects) => {
      deleteLater({
        type: of.type(),
        objects,
        what: words.value.objects.countOf(objects.length),
        onFailures: (some) => {
          failures.value = some
        },
      })
      of.selection.clear()
    },
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
