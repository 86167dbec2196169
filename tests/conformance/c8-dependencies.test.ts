import { renderPlan, type ModelDeclaration, type Plan, type PluginDefinition } from '@pergola/api'
import { expect, test } from 'vitest'
import { hostVersion } from '../../packages/server/src/base/host-version.ts'
import type { PluginFiles } from '../end-to-end/plugin-package.ts'
import { pluginPackage } from '../end-to-end/plugin-package.ts'
import { another, enable, install, notesOf, notesPath, packages, phaseIs, uninstall } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const waits = (message: string) => ({
  phase: 'NotStarted',
  reason: 'WaitingForDependency',
  message: expect.stringContaining(message) as string,
})
const started = { phase: 'Started' }
const needs = (name: string, dependencies: PluginDefinition['dependencies'], change: Partial<PluginDefinition> = {}) =>
  another(name, { dependencies: dependencies ?? {}, ...change })

/** A plugin with a route that exits its process. */
const ending = (name: string): PluginFiles => {
  const path = `/apis/api.${name}.example.com/v1alpha1/end`
  const definition = another(name, { routes: [{ audience: 'public', method: 'GET', path }] })
  return { definition, answer: '() => process.exit(3)' }
}

onEachEngine((api) => {
  const plan = async (line: string, body?: Buffer) => {
    const [method = '', path = ''] = line.split(' ')
    const headers = body ? { 'content-type': 'application/gzip' } : {}
    const answered = await api.request(method, `${path}?plan=true`, { ...(body && { body }), headers })
    expectStatus(answered, 200)
    return renderPlan((answered.body as Plan).sections)
  }

  test('C8-16 a package that requires another host version is 422, with the range and the version', async () => {
    const refused = await install(api, { definition: another('newer', { requires: '^99.0.0' }) })
    expectProblem(refused, 422, 'Invalid')
    expect(refused.text).toContain('^99.0.0')
    expect(refused.text).toContain(hostVersion)
    expectProblem(await install(api, { definition: another('vague', { requires: 'new' }) }), 422, 'Invalid')
    expectStatus(await install(api, { definition: another('fitting', { requires: `^${hostVersion}` }) }), 201)
  })

  test('C8-17 a plugin waits until its dependency is installed in range, enabled and started', async () => {
    expectProblem(await install(api, { definition: needs('odd', { base: 'new' }) }), 422, 'Invalid')
    expectStatus(await install(api, { definition: needs('upper', { lower: '^1.2.0' }) }), 201)
    await phaseIs(api, waits('which is not installed'), 'upper')
    expectStatus(await install(api, { definition: another('lower'), version: '1.0.0' }), 201)
    await phaseIs(api, waits('what is installed is 1.0.0'), 'upper')
    await enable(api, 'lower', false)
    expectStatus(await install(api, { definition: another('lower'), version: '1.3.0' }), 200)
    await phaseIs(api, waits('which is disabled'), 'upper')
    await enable(api, 'lower', true)
    await phaseIs(api, started, 'upper')
    await phaseIs(api, started, 'lower')
  })

  test('C8-18 a plugin stops and waits when its dependency is disabled or uninstalled, and its objects are still served', async () => {
    const definition = needs('roof', { wall: '^1.0.0' }, { models: [notesOf('roof')] })
    expectStatus(await install(api, { definition: another('wall') }), 201)
    expectStatus(await install(api, { definition }), 201)
    await phaseIs(api, started, 'roof')
    await enable(api, 'wall', false)
    await phaseIs(api, waits('which is disabled'), 'roof')
    const note = { metadata: { name: 'kept' }, spec: {} }
    expectStatus(await api.request('POST', notesPath('roof'), { body: note }), 201)
    await enable(api, 'wall', true)
    await phaseIs(api, started, 'roof')
    await uninstall(api, 'wall')
    await phaseIs(api, waits('which is not installed'), 'roof')
  })

  test('C8-19 the crash and restart of a plugin does not stop the plugins that depend on it', async () => {
    expectStatus(await install(api, ending('shaky')), 201)
    await phaseIs(api, started, 'shaky')
    expectStatus(await install(api, { definition: needs('calm', { shaky: '*' }) }), 201)
    await phaseIs(api, started, 'calm')
    const before = await api.request('GET', '/apis/plugin.platform.run/v1alpha1/plugins/calm')
    await api.request('GET', '/apis/api.shaky.example.com/v1alpha1/end')
    await phaseIs(api, { phase: 'NotStarted', reason: 'BackingOff' }, 'shaky')
    await phaseIs(api, started, 'shaky')
    const after = await api.request('GET', '/apis/plugin.platform.run/v1alpha1/plugins/calm')
    expect(after.body).toEqual(before.body)
  })

  test('C8-20 plugins with cyclic dependencies are 422, with the cycle', async () => {
    expectStatus(await install(api, { definition: needs('hen', { egg: '*' }) }), 201)
    expectStatus(await install(api, { definition: needs('egg', { farm: '*' }) }), 201)
    const refused = await install(api, { definition: needs('farm', { hen: '*' }) })
    expectProblem(refused, 422, 'Invalid')
    expect(refused.text).toContain('farm needs hen needs egg needs farm')
  })

  test('C8-21 the plan of an upgrade or uninstall lists the other plugins that stop', async () => {
    expectStatus(await install(api, { definition: another('ground') }), 201)
    expectStatus(await install(api, { definition: needs('house', { ground: '^1.0.0' }) }), 201)
    const stops = 'house 1.0.0, which needs ground of ^1.0.0'
    expect(await plan('POST /apis/console.api.platform.run/v1alpha1/plugins/ground/uninstall')).toContain(stops)
    const sent = (version: string) => pluginPackage({ definition: another('ground'), version })
    expect(await plan(`POST ${packages}`, sent('2.0.0'))).toContain(stops)
    expect(await plan(`POST ${packages}`, sent('1.1.0'))).not.toContain(stops)
  })

  test('C8-23 the plan of an upgrade gives the number of objects that its schemas reject', async () => {
    const definition = (text: object) => another('roomy', { models: [notesOf('roomy', {}, { text })] })
    const upTo = (maxLength: number) => definition({ type: 'string', maxLength })
    expectStatus(await install(api, { definition: upTo(10) }), 201)
    await phaseIs(api, started, 'roomy')
    for (const text of ['a', 'abcdef', 'abcdefgh']) {
      const body = { metadata: { generateName: 'note-' }, spec: { text } }
      expectStatus(await api.request('POST', notesPath('roomy'), { body }), 201)
    }
    const sent = (to: PluginDefinition) => pluginPackage({ definition: to, version: '2.0.0' })
    expect(await plan(`POST ${packages}`, sent(upTo(5)))).toContain('2 of 3 notes')
    expect(await plan(`POST ${packages}`, sent(upTo(20)))).not.toContain('of 3 notes')
    const headers = { 'content-type': 'application/gzip' }
    const odd = { headers, body: sent(definition({ type: 'no type' })) }
    expectProblem(await api.request('POST', `${packages}?plan=true`, odd), 422, 'Invalid')
  })

  test('C8-501 the plan of an upgrade gives the number of duplicates of each index that becomes unique', async () => {
    const definition = (indexes: ModelDeclaration['indexes']) =>
      another('twins', { models: [notesOf('twins', { ...(indexes && { indexes }) })] })
    expectStatus(await install(api, { definition: definition([{ name: 'spec.title' }]) }), 201)
    await phaseIs(api, started, 'twins')
    for (const title of ['same', 'other', 'same', 'same', undefined, undefined]) {
      const body = { metadata: { generateName: 'note-' }, spec: { title } }
      expectStatus(await api.request('POST', notesPath('twins'), { body }), 201)
    }
    const text = (indexes: ModelDeclaration['indexes']) =>
      plan(`POST ${packages}`, pluginPackage({ definition: definition(indexes), version: '2.0.0' }))
    expect(await text([{ name: 'spec.title', unique: true }])).toMatch(
      /duplicates +3 of 6 notes have a spec\.title that another one has; the upgrade fails until each has its own/,
    )
    expect(await text([{ name: 'spec.title' }])).not.toContain('duplicates')
  })

  test('C8-22 an upgrade with a missing dependency fails', async () => {
    expectStatus(await install(api, { definition: another('early') }), 201)
    await phaseIs(api, started, 'early')
    expectStatus(await install(api, { definition: needs('early', { later: '*' }), version: '2.0.0' }), 200)
    const why = expect.stringContaining('it needs the plugin later') as string
    await phaseIs(api, { phase: 'Started', upgrade: { phase: 'Failed', to: '2.0.0', message: why } }, 'early')
  })
})
