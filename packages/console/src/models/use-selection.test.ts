import type { ApiObject } from '@pergola/client'
import { expect, it } from 'vitest'
import { nextTick, shallowRef } from 'vue'
import { useSelection } from './use-selection.ts'

const object = (uid: string) => ({ metadata: { uid, name: uid } }) as ApiObject

function selectionOf(...uids: readonly string[]) {
  const rows = shallowRef(uids.map(object))
  const question = shallowRef<unknown>({ page: 1 })
  const selection = useSelection(
    () => rows.value,
    () => question.value,
  )
  return { rows, question, selection }
}

it('a removed row leaves the selection', async () => {
  const { rows, selection } = selectionOf('a', 'b')
  selection.select(['a', 'b'], true)
  rows.value = [object('b')]
  await nextTick()
  expect([...selection.keys.value]).toEqual(['b'])
})

it('selects certain rows alone, as far as they are visible', () => {
  const { selection } = selectionOf('a', 'b')
  selection.select(['a'], true)
  selection.only(['b', 'gone'])
  expect([...selection.keys.value]).toEqual(['b'])
})

it('another page clears the selection, an equal question keeps it', async () => {
  const { question, selection } = selectionOf('a')
  selection.select(['a'], true)
  question.value = { page: 1 }
  await nextTick()
  expect(selection.keys.value.size).toBe(1)
  question.value = { page: 2 }
  await nextTick()
  expect(selection.keys.value.size).toBe(0)
})

it('"all" ends with the next change of the selection, and with its last row', async () => {
  const { rows, selection } = selectionOf('a', 'b')
  selection.select(['a', 'b'], true)
  selection.isAll.value = true
  selection.select(['b'], false)
  expect(selection.isAll.value).toBe(false)
  selection.isAll.value = true
  rows.value = []
  await nextTick()
  expect(selection.isAll.value).toBe(false)
})
