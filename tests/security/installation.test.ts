import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { renderPlan, type Plan } from '@pergola/api'
import { afterAll, describe, expect, test } from 'vitest'
import { pluginPackage, type PluginFiles } from '../end-to-end/plugin-package.ts'
import { bind, core, createRole, expectSoon, person, roleOf, type Person } from '../conformance/people.ts'
import { another, notesOf, notesPath, packages, phaseIs, plugins, uninstall } from '../conformance/plugin.ts'
import { expectProblem, expectStatus, type Answer } from '../conformance/request.ts'
import { once, onEachEngine, type Api } from '../conformance/server.ts'
import { createVault } from './attack.ts'

const gzip = { 'content-type': 'application/gzip' }
const variables = { KEY: randomBytes(32).toString('base64') }
const directory = mkdtempSync(join(tmpdir(), 'pergola-installation-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** The setting `plugins.approve`. */
let approve = {}
let count = 0
const newName = () => `plug${++count}`
const groupOf = (name: string) => `${name}.example.com`
const prefix = 'rbac.authorization.platform.run'

interface Template {
  readonly name: string
  readonly with?: readonly string[]
  readonly into?: readonly string[]
  readonly rules?: readonly object[]
}

/** A role template as a package declares it; JSON is YAML. */
function templateYaml({ name, with: dependencies = [], into = [], rules = [] }: Template): string {
  const labels = Object.fromEntries(into.map((target) => [`${prefix}/aggregate-to-${target}`, 'true']))
  const annotations = { [`${prefix}/dependencies`]: JSON.stringify(dependencies) }
  const metadata = { name, labels: { 'platform.run/role-template': 'true', ...labels }, annotations }
  return JSON.stringify({ apiVersion: 'v1alpha1', kind: 'Role', metadata, rules })
}

function withTemplates(name: string, ...templates: readonly Template[]): PluginFiles {
  const yaml = templates.map(templateYaml).join('\n---\n')
  return { definition: another(name), files: { 'extensions/roles.yaml': yaml } }
}

const withNotes = (name: string, change: PluginFiles = {}): PluginFiles => ({
  definition: another(name, { models: [notesOf(name)] }),
  ...change,
})

/** Sends the package with every approval that its plan asks for: approving is not holding. */
async function installAs(by: Pick<Api, 'request'>, files: PluginFiles): Promise<Answer> {
  const body = pluginPackage(files)
  const plan = await by.request('POST', `${packages}?plan=true`, { body, headers: gzip })
  const { approvals = [] } = (plan.body ?? {}) as { readonly approvals?: readonly string[] }
  const approved = new URLSearchParams(approvals.map((name): [string, string] => ['approve', name]))
  return by.request('POST', `${packages}?${String(approved)}`, { body, headers: gzip })
}

/** May install, upgrade and roll back plugins, and nothing else. */
async function createInstaller(api: Api): Promise<Person & { readonly role: string }> {
  const resources = ['plugins/packages', 'plugins/rollback']
  const rules = [{ apiGroups: ['console.api.platform.run'], resources, verbs: ['create'] }]
  const role = await createRole(api, { rules })
  const ops = await person(api, { roles: [role] })
  const plan = () =>
    ops.request('POST', `${packages}?plan=true`, {
      body: pluginPackage({ definition: another('none') }),
      headers: gzip,
    })
  await expectSoon(async () => expectStatus(await plan(), 200))
  return { ...ops, role }
}

onEachEngine(
  (api) => {
    const ready = once(async () => {
      const [ops, vault] = [await createInstaller(api), await createVault(api)]
      return { ops, vault }
    })
    const admin = api
    const isInstalled = async (name: string) => (await api.request('GET', `${plugins}/${name}`)).status === 200
    const started = async (files: PluginFiles) => {
      const name = files.definition?.name ?? ''
      expectStatus(await installAs(admin, files), 201)
      await phaseIs(api, { phase: 'Started' }, name)
      return name
    }
    const expectEscalation = async (answer: Answer, name: string) => {
      expectProblem(answer, 403, 'EscalationForbidden')
      expect(await isInstalled(name)).toBe(false)
    }

    describe('an installer must hold everything that the roles of the plugin grant', () => {
      test('C8-384 a plugin that grants only its own groups needs nothing more, even for everybody who is signed in', async () => {
        const { ops } = await ready()
        const name = newName()
        const rules = [{ apiGroups: [groupOf(name)], resources: ['notes'], verbs: ['*'] }]
        const files = withTemplates(name, { name: `${name}-all`, rules, into: ['authenticated'] })
        expectStatus(await installAs(ops, { ...withNotes(name), files: files.files ?? {} }), 201)
      })
      const ways: readonly (readonly [
        string,
        (name: string, of: Readonly<Record<'reader' | 'own', string>>) => readonly Template[],
      ])[] = [
        ['C8-384 by a dependency alone', (name, { reader }) => [{ name: `${name}-a`, with: [reader] }]],
        [
          'C8-384 by a dependency, for everybody who is signed in',
          (name, { reader }) => [{ name: `${name}-a`, with: [reader], into: ['authenticated'] }],
        ],
        [
          'C8-384 by a dependency, into the own role',
          (name, { reader, own }) => [{ name: `${name}-a`, with: [reader], into: [own] }],
        ],
        [
          'C8-384 by a chain of its own roles',
          (name, { reader, own }) => [
            { name: `${name}-a`, with: [`${name}-b`], into: [own] },
            { name: `${name}-b`, with: [`${name}-c`] },
            { name: `${name}-c`, with: [reader] },
          ],
        ],
      ]
      for (const [way, templates] of ways) {
        test(way, async () => {
          const { ops, vault } = await ready()
          const name = newName()
          const files = withTemplates(name, ...templates(name, { reader: vault.reader, own: ops.role }))
          await expectEscalation(await installAs(ops, files), name)
          expectStatus(await ops.request('GET', vault.path), 403)
        })
      }
      test('C8-384 by a role of others that was waiting for its name', async () => {
        const { ops, vault } = await ready()
        const name = newName()
        await createRole(api, { rules: [vault.rule], aggregatesTo: [`${name}-a`] })
        await expectEscalation(
          await installAs(ops, withTemplates(name, { name: `${name}-a`, into: ['authenticated'] })),
          name,
        )
      })
      test('C8-384 by a role that is declared twice, which is refused whoever installs it', async () => {
        const { ops, vault } = await ready()
        const name = newName()
        const twice = withTemplates(
          name,
          { name: `${name}-a`, with: [vault.reader], into: [ops.role] },
          { name: `${name}-a` },
        )
        for (const by of [ops, admin]) {
          const answer = await installAs(by, twice)
          expectProblem(answer, 422, 'Invalid')
          expect(answer.text).toContain('again')
        }
      })
      test('C8-384 by a role that does not exist yet', async () => {
        const { ops } = await ready()
        const name = newName()
        const files = withTemplates(name, { name: `${name}-a`, with: ['billing-admin'], into: ['authenticated'] })
        await expectEscalation(await installAs(ops, files), name)
        expectStatus(await installAs(admin, files), 201)
      })
      test('C8-384 when its roles are stored, however long after the installation', async () => {
        const { ops, vault } = await ready()
        const [name, awaited] = [newName(), newName()]
        const later = await createRole(api, {})
        const files = withTemplates(name, { name: `${name}-a`, with: [later], into: [ops.role] })
        const definition = another(name, { dependencies: { [awaited]: '^1.0.0' } })
        expectStatus(await installAs(ops, { ...files, definition }), 201)
        await phaseIs(api, { phase: 'NotStarted', reason: 'WaitingForDependency' }, name)
        const body = roleOf(later, { rules: [vault.rule] })
        expectStatus(await api.request('PUT', `${core}/roles/${later}`, { body }), 200)
        expectStatus(await installAs(admin, { definition: another(awaited) }), 201)
        await phaseIs(api, { phase: 'Failed', message: expect.stringContaining('more than you hold') as string }, name)
        expectStatus(await ops.request('GET', vault.path), 403)
      })
      test('C8-384 by its permissions', async () => {
        const { ops, vault } = await ready()
        const name = newName()
        await expectEscalation(
          await installAs(ops, { definition: another(name, { permissions: [vault.rule as never] }) }),
          name,
        )
      })
    })

    describe('no role of a package reaches super-administrator', () => {
      const superAdministrator = 'super-administrator'
      for (const who of ['an installer', 'an administrator'] as const) {
        test(`C8-387 whoever installs it: ${who}`, async () => {
          const { ops } = await ready()
          const by = who === 'an installer' ? ops : admin
          const above = await createRole(api, { dependencies: [superAdministrator] })
          for (const dependency of [superAdministrator, above]) {
            const name = newName()
            const files = withTemplates(name, { name: `${name}-a`, with: [dependency], into: ['authenticated'] })
            const answer = await installAs(by, files)
            expectProblem(answer, 422, 'Invalid')
            expect(answer.text).toContain(superAdministrator)
            expect(await isInstalled(name)).toBe(false)
          }
        })
      }
      test('C8-387 from plugins.directory, with every approval', async () => {
        const name = newName()
        const template = { name: `${name}-a`, with: [superAdministrator], into: ['authenticated'] }
        writeFileSync(join(directory, `${name}.tgz`), pluginPackage(withTemplates(name, template)))
        approve = { [name]: [`${name}-a into authenticated`, `${name}-a with ${superAdministrator}`] }
        await api.restart()
        expect(await isInstalled(name)).toBe(false)
        expect(api.logged()).toContain(superAdministrator)
      })
    })

    describe('a plugin takes over nothing that the installer could not read', () => {
      /** A model that an operator declared, with an object. */
      const declared = async (name: string, group = groupOf(name)) => {
        const spec = { ...notesOf(name), group, check: undefined }
        expectStatus(
          await api.request('POST', '/apis/plugin.platform.run/v1alpha1/models', { body: { metadata: {}, spec } }),
          201,
        )
        await expectSoon(async () =>
          expectStatus(
            await api.request('POST', notesPath(name).replace(groupOf(name), group), {
              body: { metadata: { generateName: 'a-' }, spec: {} },
            }),
            201,
          ),
        )
      }
      test('C8-385 a model in a group that it claims first', async () => {
        const { ops } = await ready()
        const name = newName()
        await declared(name)
        await expectEscalation(await installAs(ops, withNotes(name)), name)
      })
      test('C8-385 C8-388 a model in a group that an upgrade adds, which an administrator approves by name', async () => {
        const { ops } = await ready()
        const [name, other] = [newName(), newName()]
        expectStatus(await installAs(ops, { definition: another(name) }), 201)
        await declared(other)
        const groups = [groupOf(name), groupOf(other)]
        const next = { definition: another(name, { groups, models: [notesOf(other)] }), version: '2.0.0' }
        expectProblem(await installAs(ops, next), 403, 'EscalationForbidden')
        const body = pluginPackage(next)
        const unapproved = await api.request('POST', packages, { body, headers: gzip })
        expectProblem(unapproved, 422, 'Invalid')
        expect(unapproved.text).toContain(`take over notes of ${groupOf(other)}`)
        expectStatus(await installAs(admin, next), 200)
      })
      test('C8-385 the data of a plugin, by an upgrade of its own making', async () => {
        const { ops } = await ready()
        const name = await started(withNotes(newName()))
        expectProblem(await installAs(ops, withNotes(name, { version: '2.0.0' })), 403, 'EscalationForbidden')
      })
      test('C8-385 the data of a plugin, by a rollback', async () => {
        const { ops } = await ready()
        const name = await started(withNotes(newName()))
        expectStatus(await installAs(admin, withNotes(name, { version: '2.0.0' })), 200)
        await phaseIs(api, { phase: 'Started', upgrade: { phase: 'Switched' } }, name)
        const rollback = `/apis/console.api.platform.run/v1alpha1/plugins/${name}/rollback`
        expectProblem(await ops.request('POST', rollback), 403, 'EscalationForbidden')
        expectStatus(await api.request('POST', rollback), 200)
      })
      test('C8-385 the data that an uninstalled plugin has left', async () => {
        const { ops } = await ready()
        const name = await started(withNotes(newName()))
        await uninstall(api, name)
        await phaseIs(api, { phase: 'Disabled', reason: 'Uninstalled' }, name)
        expectProblem(await installAs(ops, withNotes(name, { version: '2.0.0' })), 403, 'EscalationForbidden')
        expectStatus(await installAs(admin, withNotes(name, { version: '2.0.0' })), 200)
      })
      test('C8-385 values of objects, by plans that count what does not conform', async () => {
        const { ops } = await ready()
        const name = await started(withNotes(newName()))
        const body = { metadata: { name: 'a' }, spec: { title: 'hunter2' } }
        expectStatus(await api.request('POST', notesPath(name), { body }), 201)
        const planned = async (by: Pick<Api, 'request'>, pattern: string) => {
          const title = { type: 'string', pattern }
          const models = [notesOf(name, {}, { title })]
          const sent = pluginPackage({ definition: another(name, { models }), version: '2.0.0' })
          const plan = await by.request('POST', `${packages}?plan=true`, { body: sent, headers: gzip })
          return plan.body as Plan
        }
        expect(renderPlan((await planned(admin, '^xx')).sections)).toContain('does not conform')
        const [right, wrong] = [await planned(ops, '^hu'), await planned(ops, '^xx')]
        expect(right.sections).toEqual(wrong.sections)
        expect(renderPlan(right.sections)).toContain('hands out more than you hold')
      })
      test('C8-385 C8-388 a secret or config map that has the name of its settings', async () => {
        const { ops } = await ready()
        for (const plural of ['secrets', 'configmaps']) {
          const name = newName()
          const body = { metadata: { name: `${name}-settings` }, data: { password: 'hidden' } }
          expectStatus(await api.request('POST', `${core}/${plural}`, { body }), 201)
          await expectEscalation(await installAs(ops, { definition: another(name) }), name)
          const sent = pluginPackage({ definition: another(name) })
          const unapproved = await api.request('POST', packages, { body: sent, headers: gzip })
          expectProblem(unapproved, 422, 'Invalid')
          expect(unapproved.text).toContain(`${name}-settings`)
          expectStatus(await installAs(admin, { definition: another(name) }), 201)
        }
      })
    })

    test('C8-386 console code acts with the rights of its user, so only a super administrator installs it', async () => {
      const { ops } = await ready()
      const name = newName()
      const paged = {
        definition: another(name),
        ui: 'ui/index.js',
        files: { 'ui/index.js': 'export default { pages: [] }' },
      }
      await expectEscalation(await installAs(ops, paged), name)
      expectStatus(await installAs(admin, paged), 201)
    })

    describe('a package never overwrites an object that is not its own', () => {
      const roleText = async (name: string) => (await api.request('GET', `${core}/roles/${name}`)).text
      const owner = 'plugin.platform.run/owner'
      test('C8-389 a role of another plugin, of an operator, or of the host', async () => {
        const name = newName()
        const ofOther = await started(withTemplates(`${name}-billing`, { name: `${name}-billing-admin` }))
        const byHand = `${name}-auditors`
        expectStatus(await api.request('POST', `${core}/roles`, { body: roleOf(byHand, {}) }), 201)
        const holder = await person(api, { roles: [byHand] })
        const targets = [
          [name, `${ofOther}-admin`],
          [name, byHand],
          ['post', 'post-administrator'],
          ['super', 'super-administrator'],
        ] as const
        for (const [plugin, role] of targets) {
          const before = await roleText(role)
          const answer = await installAs(admin, withTemplates(plugin, { name: role, into: ['anonymous'] }))
          expectProblem(answer, 422, 'Invalid')
          expect(answer.text).toContain(role)
          expect(await roleText(role)).toBe(before)
          expect(await isInstalled(plugin)).toBe(false)
        }
        expectStatus(await holder.request('GET', '/apis'), 200)
      })
      test('C8-389 not by an object that came after the installation either, which also outlives the plugin', async () => {
        const name = newName()
        const later = `${name}-later`
        const first = withTemplates(name, { name: later })
        await started(first)
        expectStatus(await api.request('DELETE', `${core}/roles/${later}`), 200)
        const rules = [{ apiGroups: [''], resources: ['users'], verbs: ['get'] }]
        expectStatus(await api.request('POST', `${core}/roles`, { body: roleOf(later, { rules }) }), 201)
        const binding = await bind(api, later, [(await person(api)).name])
        expectStatus(await api.request('POST', `/apis/console.api.platform.run/v1alpha1/plugins/${name}/restart`), 200)
        await phaseIs(api, { phase: 'Failed' }, name)
        await uninstall(api, name)
        await phaseIs(api, { phase: 'Disabled', reason: 'Uninstalled' }, name)
        expect(await roleText(later)).toContain('"users"')
        expectStatus(await api.request('GET', `${core}/rolebindings/${binding}`), 200)
      })
      test('C8-389 an object of its own model that people made', async () => {
        const name = await started(withNotes(newName()))
        const body = { metadata: { name: 'first' }, spec: { title: 'of a person' } }
        expectStatus(await api.request('POST', notesPath(name), { body }), 201)
        const note = {
          apiVersion: `${groupOf(name)}/v1alpha1`,
          kind: 'Note',
          metadata: { name: 'first' },
          spec: { title: 'of the package' },
        }
        const next = withNotes(name, { version: '2.0.0', files: { 'extensions/first.yaml': JSON.stringify(note) } })
        expectProblem(await installAs(admin, next), 422, 'Invalid')
        expect((await api.request('GET', `${notesPath(name)}/first`)).body).toMatchObject({ spec: body.spec })
      })
      test('C8-390 the owner of an object is written by the host alone', async () => {
        const name = newName()
        const role = `${name}-a`
        const marked = roleOf(role, {})
        const annotations = { ...marked.metadata.annotations, [owner]: name }
        const body = { ...marked, metadata: { ...marked.metadata, annotations } }
        expectStatus(await api.request('POST', `${core}/roles`, { body }), 201)
        expectStatus(await api.request('PUT', `${core}/roles/${role}`, { body }), 200)
        const operations = [{ verb: 'update', apiVersion: 'v1alpha1', resource: 'roles', name: role, object: body }]
        expectStatus(
          await api.request('POST', '/apis/api.platform.run/v1alpha1/batches', { body: { operations } }),
          200,
        )
        expect(await roleText(role)).not.toContain(owner)
        expectProblem(await installAs(admin, withTemplates(name, { name: role })), 422, 'Invalid')
        const other = newName()
        await started(withTemplates(other, { name: `${other}-a` }))
        const merge = { 'content-type': 'application/merge-patch+json' }
        const patch = { metadata: { annotations: { [owner]: null, 'example.com/a': 'b' } } }
        expectStatus(await api.request('PATCH', `${core}/roles/${other}-a`, { body: patch, headers: merge }), 200)
        expect((await api.request('GET', `${core}/roles/${other}-a`)).body).toMatchObject({
          metadata: { annotations: { [owner]: other, 'example.com/a': 'b' } },
        })
      })
    })
  },
  {
    keepsLog: true,
    variables,
    file: () => ({ plugins: { directory, approve }, secrets: { keys: [{ env: 'KEY' }] } }),
  },
)
