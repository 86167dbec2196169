import { gzipSync } from 'node:zlib'
import { renderPlan, type Plan } from '@pergola/api'
import { expect, test } from 'vitest'
import { openStore } from '../../packages/server/src/store/open-store.ts'
import { another, enable, install, notesOf, notesPath, packages, phaseIs, uninstall } from './plugin.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine, type Engine } from './server.ts'

const started = { phase: 'Started' }
const failed = (message: RegExp) => ({ phase: 'Failed', message: expect.stringMatching(message) as string })

const configMap = (name: string, text: string) => `
apiVersion: v1alpha1
kind: ConfigMap
metadata: { name: ${name} }
data: { text: ${text} }
`
const binding = (user: string) => `
apiVersion: v1alpha1
kind: RoleBinding
metadata: { name: handed }
roleRef: { apiGroup: "", kind: Role, name: super-administrator }
subjects: [{ apiGroup: "", kind: User, name: ${user} }]
`
const everything: readonly string[] = ['create', 'update', 'delete']

/** A declared config map is rejected with these permissions. */
const refused = [
  ['without any permission', { verbs: [] }],
  ['without the right to delete', { verbs: ['create', 'update'] }],
  ['with a permission for another name', { names: ['other'] }],
  ['with a permission for another kind', { resource: 'secrets' }],
] as const

/** Notes with a status; their index is computed by the plugin. */
const withStatus = (name: string) => {
  const text = { type: 'string' }
  const spec = { type: 'object', properties: { title: text } }
  const status = { type: 'object', properties: { phase: text } }
  const indexes = [{ name: 'words', evaluated: 'multi' as const, revision: 1 }]
  return notesOf(name, { versions: [{ name: 'v1alpha1', schema: { properties: { spec, status } } }], indexes })
}

onEachEngine((api) => {
  const declaring = (
    name: string,
    yaml: string,
    { verbs = everything, resource = 'configmaps', version = '1.0.0', names = [] as readonly string[] } = {},
  ) => {
    const resourceNames = names.length === 0 ? {} : { resourceNames: [...names] }
    const permissions =
      verbs.length === 0 ? [] : [{ apiGroups: [''], resources: [resource], verbs: [...verbs], ...resourceNames }]
    return install(api, {
      definition: another(name, { permissions }),
      version,
      files: { 'extensions/objects.yaml': yaml },
    })
  }
  const textOf = async (name: string) => {
    const { status, body } = await api.request('GET', `/api/v1alpha1/configmaps/${name}`)
    return status === 200 ? (body as { readonly data: { readonly text: string } }).data.text : status
  }

  test('C8-37 a plugin declares an object that its permissions cover, and overwrites changes at its next start', async () => {
    expectStatus(await declaring('giver', configMap('given', 'declared')), 201)
    await phaseIs(api, started, 'giver')
    expect(await textOf('given')).toBe('declared')
    const body = { metadata: { name: 'given' }, data: { text: 'changed' } }
    expectStatus(await api.request('PUT', '/api/v1alpha1/configmaps/given', { body }), 200)
    await enable(api, 'giver', false)
    await enable(api, 'giver', true)
    expect(await textOf('given')).toBe('declared')
  })

  test('C8-409 the status of a declared object stays when the plugin starts again, and an unchanged one is not written', async () => {
    const name = 'lasting'
    const files = {
      'extensions/notes.yaml': `
apiVersion: ${name}.example.com/v1alpha1
kind: Note
metadata: { name: first }
spec: { title: declared }
`,
    }
    expectStatus(await install(api, { definition: another(name, { models: [withStatus(name)] }), files }), 201)
    await phaseIs(api, started, name)
    const path = `${notesPath(name)}/first`
    const read = async () => (await api.request('GET', path)).body
    const body = { ...((await read()) as object), status: { phase: 'Done' } }
    expectStatus(await api.request('PUT', path, { body }), 200)
    const before = await read()
    expect(before).toMatchObject({ status: { phase: 'Done' } })
    await enable(api, name, false)
    await enable(api, name, true)
    expect(await read()).toEqual(before)
  })

  for (const [what, asked] of refused) {
    test(`C8-37 a declared object ${what} is rejected, with the rule to ask for`, async () => {
      const name = `asks-${what.replaceAll(/[^a-z]/g, '').slice(-12)}`
      expectStatus(await declaring(name, configMap('ungiven', 'x'), asked), 201)
      const rule = { apiGroups: [''], resources: ['configmaps'], resourceNames: ['ungiven'], verbs: everything }
      const message = expect.stringMatching(/^extensions\/objects\.yaml, document 1: /) as string
      await phaseIs(api, { phase: 'Failed', message }, name)
      await phaseIs(api, { message: expect.stringContaining(` ${JSON.stringify(rule)}`) as string }, name)
      expect(await textOf('ungiven')).toBe(404)
    })
  }

  test('C8-450 a fault in a package names the file and the document', async () => {
    const yaml = `${configMap('first', 'a')}---\napiVersion: v1alpha1\nkind: ConfigMap\n`
    const wrong = await declaring('wrongdoc', yaml)
    expectProblem(wrong, 422, 'Invalid')
    expect(wrong.body).toMatchObject({ errors: [{ params: { file: 'extensions/objects.yaml', document: 2 } }] })
    const unreadable = await declaring('unreadable', 'a: [')
    expect(unreadable.body).toMatchObject({ errors: [{ params: { file: 'extensions/objects.yaml' } }] })
    const group = await install(api, { definition: another('grabber', { groups: ['plugin.platform.run'] }) })
    expectProblem(group, 422, 'Invalid')
    expect(group.body).toMatchObject({ errors: [{ params: { file: 'plugin.json' } }] })
    const body = gzipSync(Buffer.alloc(2048, 'x'))
    const archive = await api.request('POST', packages, { body, headers: { 'content-type': 'application/gzip' } })
    expectProblem(archive, 422, 'Invalid')
    expect(archive.text).not.toMatch(/TAR_|Unrecognized/)
    expect(archive.body).toMatchObject({ errors: [{ field: 'package' }] })
  })

  test('C8-38 a declared binding that grants more than the plugin holds is rejected', async () => {
    expectStatus(await declaring('climber', binding('admin'), { resource: 'rolebindings' }), 201)
    await phaseIs(api, failed(/^extensions\/objects\.yaml, document 1: .*hands out more than you hold/), 'climber')
    expectStatus(await api.request('GET', '/api/v1alpha1/rolebindings/handed'), 404)
  })

  test('C8-500 a role template of a package names UI permissions of its own plugin only', async () => {
    const template = (permission: string) => `
apiVersion: v1alpha1
kind: Role
metadata:
  name: shower-view
  labels: { platform.run/role-template: "true" }
  annotations: { rbac.authorization.platform.run/ui-permissions: '["${permission}"]' }
rules: []
`
    expectStatus(await declaring('shower', template('plugin:other:view')), 201)
    const words =
      /^extensions\/objects\.yaml, document 1: .*"plugin:other:view", which must have the form plugin:shower:<scope>/
    await phaseIs(api, failed(words), 'shower')
    expectStatus(await declaring('shower', template('plugin:shower:view'), { version: '1.0.1' }), 200)
    await phaseIs(api, started, 'shower')
  })

  test('C8-410 a role template of a package has no reserved keys but those with a meaning on roles', async () => {
    const template = (key: string, plugin = 'keyer') => `
apiVersion: v1alpha1
kind: Role
metadata:
  name: ${plugin}-view
  labels: { platform.run/role-template: "true", ${key}: x }
rules: []
`
    for (const [at, key] of ['plain', 'platform.run/zz', 'rbac.authorization.platform.run/invented'].entries()) {
      const plugin = `keyer${at}`
      expectStatus(await declaring(plugin, template(key, plugin)), 201)
      await phaseIs(api, failed(/metadata\.labels.* has (no|the) prefix/), plugin)
    }
    expectStatus(await declaring('keyer', template('keyer.example.com/mine')), 201)
    await phaseIs(api, started, 'keyer')
  })

  test('C8-39 an upgrade deletes objects that are no longer declared', async () => {
    expectStatus(await declaring('mover', `${configMap('stays', 'first')}---${configMap('goes', 'first')}`), 201)
    await phaseIs(api, started, 'mover')
    expectStatus(await declaring('mover', configMap('stays', 'second'), { version: '2.0.0' }), 200)
    await phaseIs(api, { ...started, upgrade: { phase: 'Switched' } }, 'mover')
    await expect.poll(() => textOf('stays')).toBe('second')
    await expect.poll(() => textOf('goes')).toBe(404)
  })

  test('C8-39 uninstalling a plugin deletes its declared objects, which the plan lists', async () => {
    expectStatus(await declaring('leaver', configMap('left', 'x')), 201)
    await phaseIs(api, started, 'leaver')
    const plan = await api.request('POST', '/apis/console.api.platform.run/v1alpha1/plugins/leaver/uninstall?plan=true')
    expect(renderPlan((plan.body as Plan).sections)).toMatch(/objects deleted +ConfigMap "left"/)
    await uninstall(api, 'leaver')
    await expect.poll(() => textOf('left')).toBe(404)
  })

  test('C8-391 the first start of a host that knows owners adopts what the active packages declare', async () => {
    const path = '/api/v1alpha1/configmaps'
    const ownerOf = async (name: string) => {
      const { body } = await api.request('GET', `${path}/${name}`)
      const { annotations } = (body as { metadata: { annotations?: Record<string, string> } }).metadata
      return annotations?.['plugin.platform.run/owner']
    }
    expectStatus(await declaring('older', configMap('old', 'x')), 201)
    await phaseIs(api, started, 'older')
    await enable(api, 'older', false)
    const body = { metadata: { name: 'by-hand' }, data: {} }
    expectStatus(await api.request('POST', path, { body }), 201)
    await api.restart((url) => forgetOwners(url, api.engine))
    expect([await ownerOf('old'), await ownerOf('by-hand')]).toEqual(['older', undefined])
    expectStatus(await declaring('older', configMap('old', 'second'), { version: '2.0.0' }), 200)
    await enable(api, 'older', true)
    expect(await textOf('old')).toBe('second')
  })
})

/** Removes the declarer of config maps, as hosts without that annotation left them. */
async function forgetOwners(url: string, engine: Engine): Promise<void> {
  await using store = await openStore({ url, onConnectionLost: () => {} })
  const found = await store.sql({ text: `SELECT id FROM models WHERE plural = 'configmaps'`, values: [] })
  const [from, to] = ['plugin.platform.run/owner', 'other.example.com/mark']
  const data =
    engine === 'SQLite'
      ? `CAST(replace(CAST(data AS TEXT), '${from}', '${to}') AS BLOB)`
      : `convert_to(replace(convert_from(data, 'UTF8'), '${from}', '${to}'), 'UTF8')`
  await store.sql({ text: `UPDATE m_${Number(found[0]?.['id'])} SET data = ${data}`, values: [] })
  await store.sql({ text: `DELETE FROM write_counters WHERE name = 'declared objects adopted'`, values: [] })
}
