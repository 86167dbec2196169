import type { PluginDefinition, RoleDeclaration } from '../plugin-definition.ts'
import { roleKeys } from '../role-keys.ts'
import type { Rule } from '../rules.ts'

interface RoleParts {
  readonly displayName?: string
  readonly rules?: readonly Rule[]
  readonly into?: readonly string[]
  readonly with?: readonly string[]
}

/** Creates a role template with only the given parts. */
export function role(name: string, parts: RoleParts = {}): RoleDeclaration {
  const { displayName, rules = [], into = [], with: dependencies = [] } = parts
  return {
    apiVersion: 'v1alpha1',
    kind: 'Role',
    metadata: {
      name,
      labels: Object.fromEntries([
        [roleKeys.template, 'true'],
        ...into.map((target) => [`${roleKeys.aggregateTo}${target}`, 'true']),
      ]),
      annotations: {
        ...(displayName !== undefined && { [roleKeys.displayName]: displayName }),
        ...(dependencies.length > 0 && { [roleKeys.dependencies]: JSON.stringify(dependencies) }),
      },
    },
    rules,
  }
}

const books = {
  group: 'books.example.com',
  kind: 'Book',
  singular: 'book',
  plural: 'books',
  specRequired: true,
  versions: [
    {
      name: 'v1',
      schema: {
        properties: {
          spec: {
            type: 'object',
            required: ['title', 'shelf'],
            properties: {
              title: { type: 'string', maxLength: 200 },
              shelf: { $ref: '#/$defs/shelf' },
              state: { enum: ['in', 'out'] },
              pages: { type: 'integer', minimum: 1 },
              authors: { type: 'array', items: { type: 'string', maxLength: 80 }, maxItems: 20 },
              loan: { type: 'object', properties: { by: { type: 'string' }, until: { type: 'string' } } },
            },
          },
        },
        $defs: { shelf: { type: 'string', pattern: '^[A-Z][0-9]+$' } },
      },
    },
  ],
  indexes: [
    { name: 'spec.title' },
    { name: 'spec.pages', order: 'DESC' },
    { name: 'spec.loan.by' },
    { name: 'isbn', unique: true, evaluated: 'single', revision: 1 },
    { name: 'words', evaluated: 'multi', revision: 3 },
  ],
  composites: [['spec.title', 'spec.pages desc']],
  check: true,
} as const

const members = {
  group: 'people.example.com',
  kind: 'Member',
  singular: 'member',
  plural: 'members',
  versions: [{ name: 'v1beta1', schema: { properties: { spec: { type: 'object' } } } }],
  check: false,
} as const

/** Uses every feature that a definition has. */
export const library: PluginDefinition = {
  protocol: 1,
  name: 'library',
  displayName: 'Library',
  description: 'Books and who has them.',
  requires: '^1.2.0',
  dependencies: { mailer: '^2.0.0' },
  groups: ['books.example.com', 'people.example.com'],
  api: 'books.example.com/v1',
  models: [books, members],
  routes: [
    { audience: 'console', method: 'GET', path: '/apis/console.api.books.example.com/v1/books/-/stats' },
    {
      audience: 'console',
      method: 'POST',
      path: '/apis/console.api.books.example.com/v1/books/{name}/withdraw',
      allow: 'library-manage',
    },
    {
      audience: 'public',
      method: 'GET',
      path: '/apis/api.books.example.com/v1/books/{name}/cover/{size}',
      allow: 'library-visit',
    },
    { audience: 'public', method: 'GET', path: '/apis/api.books.example.com/v1/news', stream: true },
  ],
  apps: ['uc'],
  owned: [
    {
      group: 'books.example.com',
      plural: 'books',
      path: 'spec.loan.by',
      allow: [{ role: 'library-borrow', verbs: ['get', 'list'] }],
    },
  ],
  roles: [
    role('library-visit', {
      into: ['anonymous'],
      rules: [
        { nonResourceURLs: ['/apis/api.books.example.com/v1/books/*'], verbs: ['get'] },
        { apiGroups: ['api.books.example.com'], resources: ['library/news'], verbs: ['watch'] },
      ],
    }),
    role('library-borrow', {
      into: ['authenticated'],
      with: ['library-visit'],
      rules: [
        { apiGroups: ['uc.api.books.example.com'], resources: ['library/books'], verbs: ['get', 'list', 'patch'] },
      ],
    }),
    role('library-manage', {
      displayName: 'Manage the library',
      into: ['editor'],
      with: ['library-borrow', 'mailer-send'],
      rules: [
        { apiGroups: ['books.example.com'], resources: ['library/books'], verbs: ['*'] },
        {
          apiGroups: ['console.api.books.example.com'],
          resources: ['library/books/withdraw'],
          resourceNames: ['atlas'],
          verbs: ['create'],
        },
        { apiGroups: [''], resources: ['users'], resourceNames: ['ann', 'bob'], verbs: ['get'] },
      ],
    }),
    role('library-audit', {
      rules: [
        { apiGroups: ['people.example.com'], resources: ['members'], verbs: ['list', 'get'] },
        { apiGroups: ['*'], resources: ['*'], verbs: ['list'] },
      ],
    }),
  ],
  settings: {
    type: 'object',
    required: ['sender', 'days'],
    properties: {
      sender: { type: 'string' },
      days: { type: 'integer', default: 14 },
      key: { type: 'string', writeOnly: true },
    },
  },
  controllers: [{ name: 'reminders', group: 'books.example.com', plural: 'books' }],
  schedules: [
    { name: 'fines', cron: '0 3 * * *' },
    { name: 'sweep', every: '5m' },
  ],
  permissions: [
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['smtp'], verbs: ['get'] },
    { apiGroups: ['content.platform.run'], resources: ['posts'], verbs: ['watch', 'list', 'get'] },
  ],
}
