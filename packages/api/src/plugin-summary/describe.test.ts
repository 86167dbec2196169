import { describe, expect, test } from 'vitest'
import todo from '../../../../examples/todo/src/plugin.ts'
import { inspect } from '../../../plugin-sdk/src/index.ts'
import type { ModelDeclaration, PluginDefinition } from '../plugin-definition.ts'
import type { Rule } from '../rules.ts'
import { approvalsFor } from './approvals.ts'
import { describePlugin } from './describe-plugin.ts'
import { describeUpgrade } from './describe-upgrade.ts'
import { library, role } from './library.rows.ts'
import type { PackageContents } from './package-contents.ts'
import { planSentence, renderPlan } from './plan-words.ts'
import { schemaChanges } from './schema-changes.ts'

const example = inspect(todo)
const empty: PluginDefinition = {
  protocol: 1,
  name: 'idle',
  groups: [],
  models: [],
  routes: [],
  apps: [],
  owned: [],
  roles: [],
  controllers: [],
  schedules: [],
  permissions: [],
}

/** The library plugin with some parts replaced. */
function changed(change: (model: ModelDeclaration) => ModelDeclaration, more: Partial<PluginDefinition> = {}) {
  const [first, ...others] = library.models
  return { ...library, ...more, models: [...(first ? [change(first)] : []), ...others] }
}

function withSpec(properties: Readonly<Record<string, unknown>>, required = ['title', 'shelf']) {
  return changed((model) => {
    const [version] = model.versions
    const spec = { ...version?.schema.properties['spec'], required, properties }
    return { ...model, versions: [{ name: 'v1', schema: { ...version?.schema, properties: { spec } } }] }
  })
}

const specOf = (definition: PluginDefinition) =>
  definition.models[0]?.versions[0]?.schema.properties['spec']?.['properties'] as Record<
    string,
    Record<string, unknown>
  >

describe('the summary of a package', () => {
  const packages: readonly (readonly [what: string, file: string, contents: PackageContents])[] = [
    ['for the example plugin', 'todo', { definition: example }],
    [
      'for a plugin with every feature and roles in YAML',
      'library',
      {
        definition: library,
        roles: [
          role('library-statistics', {
            rules: [
              {
                apiGroups: ['console.api.books.example.com'],
                resources: ['books/stats'],
                resourceNames: ['-'],
                verbs: ['get'],
              },
            ],
          }),
        ],
        hasConsoleCode: true,
      },
    ],
    ['for a plugin without any feature', 'idle', { definition: empty }],
  ]
  test.each(packages)('%s', async (_, file, contents) => {
    await expect(`${renderPlan(describePlugin(contents))}\n`).toMatchFileSnapshot(`golden/${file}.txt`)
  })
})

describe('the summary of an upgrade', () => {
  const spec = specOf(library)
  const upgrades: readonly (readonly [what: string, file: string, before: PackageContents, after: PackageContents])[] =
    [
      ['that changes code only', 'upgrade-code', { definition: library }, { definition: library }],
      [
        'that changes schemas',
        'upgrade-schema',
        { definition: library },
        {
          definition: withSpec(
            {
              ...spec,
              title: { type: 'string', maxLength: 80, minLength: 1, description: 'As on the cover' },
              shelf: { type: 'string' },
              state: { enum: ['out', 'lost'] },
              pages: { type: 'string' },
              authors: { type: 'array', items: { type: 'string', maxLength: 40 }, maxItems: 20 },
              loan: {
                type: 'object',
                properties: { by: { type: 'string' } },
                additionalProperties: { type: 'string' },
              },
              series: { type: 'object', properties: { name: { type: 'string' } } },
            },
            ['title', 'series'],
          ),
        },
      ],
      [
        'that changes models and indexes',
        'upgrade-indexes',
        { definition: library },
        {
          definition: {
            ...library,
            models: [
              {
                ...(library.models[0] as ModelDeclaration),
                indexes: [
                  { name: 'spec.title', order: 'DESC' },
                  { name: 'spec.loan.by', unique: true },
                  { name: 'isbn', unique: true, evaluated: 'multi', revision: 1 },
                  { name: 'words', evaluated: 'multi', revision: 4 },
                  { name: 'spec.state' },
                ],
                composites: [['spec.state', 'spec.title']],
                statusSubresource: true,
                check: false,
              },
              { ...(library.models[1] as ModelDeclaration), plural: 'readers', singular: 'reader' },
            ],
          },
        },
      ],
      [
        'that changes rights',
        'upgrade-rights',
        { definition: library },
        {
          hasConsoleCode: true,
          definition: {
            ...library,
            groups: ['books.example.com', 'fines.example.com', 'people.example.com'],
            routes: [
              ...library.routes.slice(1),
              { audience: 'public', method: 'POST', path: '/apis/api.books.example.com/v1/reviews' },
            ],
            roles: [
              role('library-visit', {
                into: ['anonymous'],
                rules: [
                  ...(library.roles[0]?.rules ?? []),
                  { apiGroups: ['api.books.example.com'], resources: ['library/reviews'], verbs: ['create'] },
                ],
              }),
              role('library-manage', {
                into: ['editor', 'author'],
                with: ['library-visit', 'mailer-send', 'mailer-read'],
                rules: [
                  { apiGroups: ['books.example.com'], resources: ['books'], verbs: ['get', 'list'] },
                  { apiGroups: [''], resources: ['users'], resourceNames: ['ann', 'eve'], verbs: ['get', 'update'] },
                ],
              }),
              role('library-new', { rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] }),
            ],
            permissions: [
              { apiGroups: [''], resources: ['secrets'], resourceNames: ['smtp', 'ldap'], verbs: ['get', 'list'] },
            ],
            settings: { type: 'object', properties: { sender: { type: 'string' } } },
            schedules: [{ name: 'sweep', every: '10m' }],
            dependencies: { mailer: '^3.0.0' },
          },
        },
      ],
      ['from a plugin without any feature', 'upgrade-from-nothing', { definition: empty }, { definition: example }],
    ]
  test.each(upgrades)('%s', async (_, file, before, after) => {
    await expect(`${renderPlan(describeUpgrade(before, after))}\n`).toMatchFileSnapshot(`golden/${file}.txt`)
  })
})

describe('an upgrade requires approval for', () => {
  const read = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] }
  const asking = (...permissions: readonly Rule[]): PackageContents => ({ definition: { ...empty, permissions } })
  const withRoles = (...roles: readonly ReturnType<typeof role>[]): PackageContents => ({
    definition: { ...empty, groups: ['idle.example.com'], roles },
  })
  const to = (group: string, plural: string) => ({ type: 'string', 'x-reference': { group, plural } })
  const referring = (fields: Readonly<Record<string, object>>): PluginDefinition['models'][number] => ({
    group: 'idle.example.com',
    kind: 'Thing',
    singular: 'thing',
    plural: 'things',
    versions: [{ name: 'v1', schema: { properties: { spec: { type: 'object', properties: fields } } } }],
    check: false,
  })
  const own = { apiGroups: ['idle.example.com'], resources: ['idle/things'], verbs: ['get'] }
  const into = { into: ['anonymous'] }

  const rows: readonly (readonly [
    what: string,
    after: PackageContents,
    before: PackageContents,
    names: readonly string[],
  ])[] = [
    ['no permission that was approved before', asking(read), asking(read), []],
    [
      'no permission that a wider one included before',
      asking(read),
      asking({ ...read, resources: ['*'], verbs: ['*'] }),
      [],
    ],
    ['a new verb', asking({ ...read, verbs: ['get', 'list'] }), asking(read), ['list secrets']],
    [
      'a new object name',
      asking({ ...read, resourceNames: ['a', 'b'] }),
      asking({ ...read, resourceNames: ['a'] }),
      ['get secrets b'],
    ],
    ['all object names instead of one', asking(read), asking({ ...read, resourceNames: ['a'] }), ['get secrets']],
    ['all verbs instead of one', asking({ ...read, verbs: ['*'] }), asking(read), ['* secrets']],
    ['a new API group', asking({ ...read, apiGroups: ['', 'x.org'] }), asking(read), ['get secrets in x.org']],
    ['console code', { definition: empty, hasConsoleCode: true }, { definition: empty }, ['console-code']],
    [
      'references to users and objects of others, once for each model',
      {
        definition: {
          ...empty,
          groups: ['idle.example.com'],
          models: [
            referring({
              a: to('', 'users'),
              b: to('', 'users'),
              c: to('x.org', 'books'),
              d: to(own.apiGroups[0] ?? '', 'things'),
            }),
          ],
        },
      },
      { definition: empty },
      ['keep users from being deleted', 'keep books.x.org from being deleted'],
    ],
    ["no rule on the plugin's own groups", withRoles(role('idle-a', { rules: [own] })), withRoles(), []],
    [
      "rules outside the plugin's groups",
      withRoles(
        role('idle-a', { rules: [own, read, { nonResourceURLs: ['/apis/idle.example.com.evil/x'], verbs: ['get'] }] }),
      ),
      withRoles(role('idle-a', { rules: [own] })),
      ['idle-a: get secrets', 'idle-a: get /apis/idle.example.com.evil/x'],
    ],
    [
      'rules on all groups',
      withRoles(role('idle-a', { rules: [{ ...own, apiGroups: ['*'] }] })),
      withRoles(),
      ['idle-a: get idle/things in every group'],
    ],
    [
      'each right of a role that becomes public',
      withRoles(role('idle-a', { ...into, rules: [own] })),
      withRoles(role('idle-a', { rules: [own] })),
      ['public: get things'],
    ],
    [
      'a role that becomes public without a new right',
      withRoles(role('idle-a', { ...into, rules: [own] }), role('idle-b', { ...into, rules: [own] })),
      withRoles(role('idle-a', { ...into, rules: [own] }), role('idle-b', { rules: [own] })),
      ['idle-b into anonymous'],
    ],
    [
      'a rule added to a public role',
      withRoles(role('idle-a', { ...into, rules: [{ ...own, verbs: ['get', 'list'] }] })),
      withRoles(role('idle-a', { ...into, rules: [own] })),
      ['public: list things'],
    ],
    [
      'rights of a template that a public role depends on',
      withRoles(role('idle-a', { ...into, with: ['idle-b'] }), role('idle-b', { rules: [own] })),
      withRoles(role('idle-a', into), role('idle-b', { rules: [own] })),
      ['public: get things'],
    ],
    [
      'rights of a template that is aggregated into a public role',
      withRoles(role('idle-a', into), role('idle-b', { into: ['idle-a'], rules: [own] })),
      withRoles(role('idle-a', into), role('idle-b', { rules: [own] })),
      ['public: get things'],
    ],
    [
      'a role of another plugin that a public role depends on',
      withRoles(role('idle-a', { ...into, with: ['editor'] })),
      withRoles(role('idle-a', into)),
      ['idle-a with editor', 'public: what editor may'],
    ],
  ]
  test.each(rows)('%s', (_, after, before, names) => {
    expect(approvalsFor(after, before)).toEqual(names)
  })

  test.each(rows)('%s, in its section', (_, after, before, names) => {
    const items = describeUpgrade(before, after).flatMap((section) => section.items)
    expect(items.flatMap(({ approval }) => approval ?? []).toSorted()).toEqual(names.toSorted())
  })

  test('public roles that depend on each other in a cycle', () => {
    const roles = [role('idle-a', { ...into, with: ['idle-b'] }), role('idle-b', { with: ['idle-a'], rules: [own] })]
    expect(approvalsFor(withRoles(...roles))).toEqual(['public: get things'])
  })

  test('no role whose aggregation label is not "true"', () => {
    const { metadata, ...rest } = role('idle-a', { rules: [own] })
    const labels = { ...metadata.labels, 'rbac.authorization.platform.run/aggregate-to-anonymous': 'yes' }
    expect(approvalsFor(withRoles({ ...rest, metadata: { ...metadata, labels } }))).toEqual([])
  })
})

test('a public route is listed by the rules of its role, even when the route names another role', () => {
  const route = { audience: 'uc', method: 'GET', path: '/apis/uc.api.idle.example.com/v1/things/{name}' } as const
  const rules = [{ apiGroups: ['uc.api.idle.example.com'], resources: ['things'], verbs: ['get'] }]
  const definition: PluginDefinition = {
    ...empty,
    groups: ['idle.example.com'],
    routes: [{ ...route, allow: 'idle-private' }],
    roles: [role('idle-private'), role('idle-open', { into: ['anonymous'], rules })],
  }
  const { method, path } = route
  const approval = `public: ${method} ${path}`
  expect(describePlugin({ definition })[0]).toEqual({
    code: 'public',
    items: [{ code: 'route', values: { method, path }, risk: 'decision', approval }],
  })
})

test('a resource named like its plugin is not mistaken for a sub-resource', () => {
  const [model] = library.models
  const definition: PluginDefinition = {
    ...empty,
    name: 'things',
    groups: ['things.example.com'],
    models: [
      { ...(model as ModelDeclaration), group: 'things.example.com', plural: 'things', statusSubresource: true },
    ],
    roles: [
      role('things-a', {
        rules: [
          { apiGroups: ['things.example.com'], resources: ['things/things'], verbs: ['*'] },
          { apiGroups: ['things.example.com'], resources: ['things/status', 'things/things/status'], verbs: ['get'] },
        ],
      }),
    ],
  }
  const sections = describePlugin({ definition })
  const linesOf = (wanted: string) =>
    sections.flatMap(({ code, items }) => (code === wanted ? items.map((item) => planSentence(code, item)) : []))
  expect(linesOf('roles')).toEqual(['things-a: every verb on things', 'things-a: get things/status'])
  expect(linesOf('unreached')).toEqual([])
})

test('control and bidirectional characters in texts of a package are escaped', () => {
  const settings = { type: 'object', properties: { 'a\u001b[2K\r\nb\u202e\u2028': {} } }
  const text = renderPlan(describePlugin({ definition: { ...empty, settings } }))
  expect(text).toContain(String.raw`a\u{1b}[2K\u{d}\u{a}b\u{202e}\u{2028}`)
})

test('recursive schemas are compared, up to 5000 fields', () => {
  const node = { type: 'object', properties: { left: { $ref: '#/$defs/node' }, right: { $ref: '#/$defs/node' } } }
  const laughs = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => {
      const next = { $ref: `#/$defs/laugh${at + 1}` }
      return [`laugh${at}`, { type: 'object', properties: { one: next, other: next } }]
    }),
  )
  const properties = { tree: { $ref: '#/$defs/node' }, joke: { $ref: '#/$defs/laugh0' } }
  const before = { properties, $defs: { node, ...laughs } }
  const after = { properties, $defs: { node: { ...node, minProperties: 1 }, ...laughs } }
  const items = schemaChanges('trees', before, after)
  expect(items[0]).toMatchObject({ code: 'fields-cut', values: { limit: 5000 } })
  const values = { resource: 'trees', path: 'tree.left', keyword: 'minProperties', after: '1' }
  expect(items).toContainEqual({ code: 'field-keyword', values, change: '~' })
})

test('another display is one line of an upgrade, and needs no approval', () => {
  const after = changed((model) => {
    const [version] = model.versions
    const spec = { ...version?.schema.properties['spec'] }
    const properties = { ...specOf(library), title: { ...specOf(library)['title'], 'x-display': { as: 'multiline' } } }
    const schema = { ...version?.schema, properties: { ...version?.schema.properties, spec: { ...spec, properties } } }
    return { ...model, versions: [{ name: version?.name ?? '', schema }] }
  })
  const resource = library.models[0]?.plural ?? ''
  const told = [{ code: 'models', items: [{ code: 'model-display', values: { resource }, change: '~', risk: 'none' }] }]
  expect(describeUpgrade({ definition: library }, { definition: after })).toEqual(told)
  const ofModel = changed((model) => ({ ...model, display: { icon: 'book-open' } }))
  expect(describeUpgrade({ definition: library }, { definition: ofModel })).toEqual(told)
})

test('a right in the core group names its group, however many groups the plugin has', () => {
  const permissions = [{ apiGroups: [''], resources: ['users'], verbs: ['get'] }]
  for (const groups of [['a.example.com'], ['a.example.com', 'b.example.com']]) {
    const sections = describePlugin({ definition: { ...empty, groups, permissions } })
    const [item] = sections.find(({ code }) => code === 'requests')?.items ?? []
    expect(item).toMatchObject({ code: 'resource', values: { resource: 'users', group: '' } })
  }
})
