import { expect, test } from 'vitest'
import { definePlugin, defineSettings, secret, t, withDefault } from '../index.ts'
import { createSettings } from './settings-source.ts'

const Settings = defineSettings(
  t.Object({
    shop: t.String({ format: 'uri' }),
    token: secret(),
    retries: withDefault(t.Integer(), 3),
    note: t.Optional(t.String()),
  }),
)
const plugin = definePlugin({ name: 'shop', api: 'shop.example.com/v1', settings: Settings })

test('reading settings throws Unavailable with the command until every required setting is entered', () => {
  let entered: Readonly<Record<string, unknown>> = {}
  const settings = createSettings(plugin, () => entered)
  expect(() => settings(Settings)).toThrow(
    expect.objectContaining({
      reason: 'Unavailable',
      message:
        'the settings of plugin "shop" are incomplete: shop, token are not set; run pergola plugin settings shop shop=<value> --set-secret token',
    }) as Error,
  )
  entered = { token: 'a' }
  expect(() => settings(Settings)).toThrow('shop is not set; run pergola plugin settings shop shop=<value>')
  entered = { shop: 'https://shop.test/', token: 'a' }
  expect(settings(Settings)).toEqual({ shop: 'https://shop.test/', token: 'a', retries: 3 })
})
