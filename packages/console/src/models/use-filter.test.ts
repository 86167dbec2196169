import { expect, it } from 'vitest'
import type { FilterField } from './filter-logic.ts'
import type { ListState } from './list-state.ts'
import { useFilter } from './use-filter.ts'

const fields: readonly FilterField[] = [
  { key: 'spec.state', title: 'State', widget: 'choice', schema: { type: 'string', enum: ['open', 'done'] } },
  { key: 'spec.title', title: 'Title', widget: 'text', schema: { type: 'string' } },
  { key: 'metadata.name', title: 'API name', widget: 'text', schema: {} },
]

function opened() {
  const state: { now: ListState } = { now: { where: [], labels: '', sort: [], page: 1, size: 50 } }
  const filter = useFilter({
    fields: () => fields,
    state: () => state.now,
    emit: (to) => {
      state.now = { ...state.now, ...to }
    },
    focus: () => undefined,
    close: () => undefined,
  })
  const type = (text: string) => {
    filter.text.value = text
    filter.enter()
  }
  return { filter, type, state }
}

it('goes from a field over its conditions to values', () => {
  const { filter, type, state } = opened()
  type('stat')
  expect(filter.offers.value.map(({ key }) => key)).toContain('in')
  filter.enter()
  expect(filter.offers.value.map(({ key }) => key)).toEqual(['open', 'done'])
  filter.enter()
  expect(state.now.where).toEqual([])
  filter.settle()
  expect(state.now.where).toEqual([{ key: 'spec.state', op: '=', value: 'open' }])
})

it('offers a value of a field for what was typed', () => {
  const { filter, state } = opened()
  filter.text.value = 'done'
  expect(filter.offers.value[0]).toMatchObject({ title: 'State is Done' })
  filter.enter()
  expect(state.now.where).toEqual([{ key: 'spec.state', op: '=', value: 'done' }])
})

it('takes a condition as the API writes it, and removes the last one with Backspace', () => {
  const { filter, type, state } = opened()
  type('spec.title=milk')
  expect(state.now.where).toMatchObject([{ key: 'spec.title', op: '=', value: 'milk' }])
  filter.back()
  expect(state.now.where).toEqual([])
})

it('changes a chip in its place', () => {
  const { filter, type, state } = opened()
  type('spec.title=milk')
  type('metadata.name=first')
  filter.change(0, 'value')
  type('bread')
  expect(state.now.where.map((term) => ('value' in term ? term.value : ''))).toEqual(['bread', 'first'])
})
