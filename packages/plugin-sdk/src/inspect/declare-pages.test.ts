import { describe, expect, test } from 'vitest'
import { definePlugin, type PluginOptions } from '../plugin.ts'
import { roleTemplate } from '../role-template.ts'
import { DefinitionError } from './faults.ts'
import { inspect } from './inspect.ts'

const view = roleTemplate('view', { displayName: 'View' })
const manage = roleTemplate('manage', { displayName: 'Manage' })
const plugin = (parts: Partial<PluginOptions<never>>) => definePlugin({ name: 'map', roles: [view], ...parts })

test('a page needs the UI permissions of its template and of meta', () => {
  const pages = [
    { path: '', title: 'Map', allow: view, meta: { permissions: ['plugin:map:more'] } },
    { path: 'places/:name', title: 'Place', inMenu: false },
  ]
  expect(inspect(plugin({ pages })).pages).toEqual([
    { path: '', title: 'Map', permissions: ['plugin:map:view', 'plugin:map:more'] },
    { path: 'places/:name', title: 'Place', inMenu: false },
  ])
})

describe('refused:', () => {
  const cases: readonly (readonly [string, ReturnType<typeof plugin>, where: string, message: string])[] = [
    [
      'a console page whose path begins with a slash',
      plugin({ pages: [{ path: '/boards', title: 'Boards' }] }),
      'pages[0]',
      'without a slash at the ends',
    ],
    [
      'a misspelt option of a console page',
      plugin({ pages: [{ path: '', title: 'One', meta: { permisions: [] } } as never] }),
      'pages[0].meta',
      'did you mean permissions?',
    ],
    [
      'two console pages with one path',
      plugin({
        pages: [
          { path: '', title: 'One' },
          { path: '', title: 'Two' },
        ],
      }),
      'pages[1]',
      'of another page',
    ],
    [
      'a console page for a template that is not in roles',
      plugin({ pages: [{ path: '', title: 'One', allow: manage }], roles: [view] }),
      'pages[0]',
      'names the template "manage"',
    ],
  ]
  for (const [what, refused, where, message] of cases) {
    test(what, () => {
      try {
        inspect(refused)
        expect.fail('it was accepted')
      } catch (error) {
        if (!(error instanceof DefinitionError)) throw error
        expect(error.faults).toContainEqual({ where, message: expect.stringContaining(message) as string })
      }
    })
  }
})
