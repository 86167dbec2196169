import type { PluginSpec } from '@pergola/api'
import { setImmediate as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { InstalledPlugin } from './known-plugins.ts'
import { createNeighbours, untilMet, untilUnmet } from './neighbours.ts'

/** Dependencies of a plugin; unspecified values are valid. */
function neighboursWith(plugins: Record<string, Partial<PluginSpec>>, started = new Set(Object.keys(plugins))) {
  const installed = (name: string): InstalledPlugin | undefined => {
    const said = plugins[name]
    const usual = { version: '1.4.0', digest: '', groups: [], permissions: [], enabled: true }
    return said && { name, uid: name, spec: { ...usual, ...said } }
  }
  return { plugins, started, ...createNeighbours({ installed, isStarted: (name) => started.has(name) }) }
}

const needs = { mailer: '^1.2.0' }
const lacking: readonly (readonly [string, Record<string, Partial<PluginSpec>>, string, boolean])[] = [
  ['is not installed', {}, 'which is not installed; install it', true],
  ['is uninstalled', { mailer: { removal: 'keep', enabled: false } }, 'which is not installed; install it', true],
  ['is too old', { mailer: { version: '1.1.0' } }, 'and what is installed is 1.1.0', true],
  ['is disabled', { mailer: { enabled: false } }, 'which is disabled; enable it', true],
]
test.for(lacking)('a plugin whose dependency %s gets the reason', ([, plugins, words, isLasting]) => {
  const message = `it needs the plugin mailer of ^1.2.0, ${words}`
  expect(neighboursWith(plugins).unmet(needs)).toEqual({ message, isLasting })
})

test('a starting dependency is waited for; reasons for the operator come first', () => {
  const starting = neighboursWith({ mailer: {}, store: {} }, new Set())
  expect(starting.unmet(needs)).toMatchObject({ isLasting: false })
  expect(starting.unmet({ ...needs, store: '^9.0.0' })).toMatchObject({ isLasting: true })
  expect(neighboursWith({ mailer: {} }).unmet(needs)).toBeUndefined()
  expect(neighboursWith({}).unmet({})).toBeUndefined()
})

test('waiting reports each reason once, and ends when all dependencies have started', async () => {
  const neighbours = neighboursWith({}, new Set())
  const told: string[] = []
  const { signal } = new AbortController()
  let isMet = false
  const waiting = untilMet(neighbours, needs, { signal, onUnmet: ({ message }) => told.push(message) })
  void waiting.then(() => (isMet = true))
  neighbours.tell()
  await pause()
  neighbours.plugins['mailer'] = {}
  neighbours.tell()
  await pause()
  expect({ isMet, told: told.length }).toEqual({ isMet: false, told: 2 })
  neighbours.started.add('mailer')
  neighbours.tell()
  await waiting
  expect(told[1]).toContain('not started yet')
})

test('a restarting dependency does not stop the plugin, a disabled one does', async () => {
  const neighbours = neighboursWith({ mailer: {} })
  const gone = untilUnmet(neighbours, needs, new AbortController().signal)
  neighbours.started.delete('mailer')
  neighbours.tell()
  await pause()
  neighbours.plugins['mailer'] = { enabled: false }
  neighbours.tell()
  expect(await gone).toContain('which is disabled')
})

test('stopping ends the wait', async () => {
  const neighbours = neighboursWith({})
  const stopping = new AbortController()
  const waiting = [
    untilMet(neighbours, needs, { signal: stopping.signal, onUnmet: () => {} }),
    untilUnmet(neighbours, undefined, stopping.signal),
  ]
  stopping.abort()
  await Promise.all(waiting)
  await untilMet(neighbours, undefined, { signal: stopping.signal, onUnmet: () => expect.unreachable() })
})
