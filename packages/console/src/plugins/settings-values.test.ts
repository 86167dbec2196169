import { expect, test } from 'vitest'
import { changedSettings, settingsPatch, shownSettings } from './settings-values.ts'

const schema = {
  properties: { hours: { type: 'integer', default: 24 }, webhook: { type: 'string' }, token: { type: 'string' } },
}

test('a default is shown where nothing is stored', () => {
  expect(shownSettings(schema, {})).toEqual({ hours: 24 })
  expect(shownSettings(schema, { hours: 48 })).toEqual({ hours: 48 })
})

test('an unchanged default is not stored', () => {
  const before = shownSettings(schema, {})
  const now = { ...before, webhook: 'https://a.example' }
  expect(settingsPatch(changedSettings(schema, before, now), now)).toEqual({ webhook: 'https://a.example' })
})

test('emptied values are removed', () => {
  const before = shownSettings(schema, { hours: 48, webhook: 'https://a.example' })
  const now = { ...before, hours: undefined, webhook: undefined }
  expect(settingsPatch(changedSettings(schema, before, now), now)).toEqual({ hours: null, webhook: null })
})

test('a secret that was not touched is not sent', () => {
  expect(changedSettings(schema, { token: undefined }, { token: undefined })).toEqual([])
  expect(settingsPatch(changedSettings(schema, {}, { token: null }), { token: null })).toEqual({ token: null })
})
