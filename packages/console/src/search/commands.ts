import { CircleUser, LogOut, Moon, Plus, Puzzle, Sun } from '@lucide/vue'
import { tellProblem } from '../kit/tell.ts'
import { modelsAllowing } from '../models/allowed-models.ts'
import { manyOf, oneOf } from '../models/kind-words.ts'
import { mayDo } from '../session/permissions.ts'
import { signOut } from '../session/session.ts'
import type { MenuSection } from '../shell/use-menu.ts'
import { isDark, theme } from '../theme.ts'
import { words } from '../words/words.ts'
import { oneVersionOfEach } from './find-objects.ts'
import type { Hit } from './hit.ts'

/** The menu entries and the account page, which the menu lacks. */
export function pageHits(menu: readonly MenuSection[]): readonly Hit[] {
  const inMenu = menu.flatMap(({ heading = '', entries }) =>
    entries.map(({ title, hint, to, icon }) => ({
      key: `page ${JSON.stringify(to)}`,
      title,
      hint: hint || heading,
      act: to,
      icon,
    })),
  )
  const account = { key: 'page account', title: words.value.account.title, hint: '', act: { name: 'account' } }
  return [...inMenu, { ...account, icon: CircleUser }]
}

const packages = { group: 'console.api.platform.run', resource: 'plugins', subresource: 'packages' }

/** Actions that the signed-in user may perform: create, install, switch theme. */
export async function actionHits(): Promise<readonly Hit[]> {
  const [creatable, mayInstall, mayOpenUsers, mayOpenRoles] = await Promise.all([
    modelsAllowing('create'),
    mayDo({ verb: 'create', ...packages }),
    mayDo({ verb: 'list', group: '', resource: 'users' }),
    mayDo({ verb: 'get', group: '', resource: 'roles' }),
  ])
  const { objects, account, plugins, users, roles } = words.value
  const ofModels = oneVersionOfEach(creatable)
    .filter(({ hasPage }) => !hasPage)
    .map((model) => {
      const { group, version, plural } = model
      const title = objects.new(oneOf(model))
      return {
        key: `new ${group}/${plural}`,
        title,
        // Some languages leave out a name that they cannot put into a sentence.
        hint: title.includes(oneOf(model)) ? group : [manyOf(model), group].filter((part) => part !== '').join(' · '),
        act: { name: 'new-object', params: { group: group || '-', version, plural } },
        icon: Plus,
      }
    })
  const creates = (plural: string) => creatable.some((model) => model.group === '' && model.plural === plural)
  const toUser = { name: 'users', hash: '#new' }
  const install = { key: 'install', title: plugins.install, hint: '' }
  const toInstall = { ...install, act: { name: 'install-plugin' }, icon: Puzzle }
  const toRole = { name: 'role', params: { name: '-new' } }
  return [
    ...ofModels,
    ...(mayOpenUsers && creates('users')
      ? [{ key: 'new user', title: users.new, hint: '', act: toUser, icon: Plus }]
      : []),
    ...(mayOpenRoles && creates('roles')
      ? [{ key: 'new role', title: roles.new, hint: '', act: toRole, icon: Plus }]
      : []),
    ...(mayInstall ? [toInstall] : []),
    {
      key: 'theme',
      title: isDark.value ? account.toLight : account.toDark,
      hint: '',
      act: () => void (theme.value = isDark.value ? 'light' : 'dark'),
      icon: isDark.value ? Sun : Moon,
    },
    {
      key: 'sign out',
      title: account.signOut,
      hint: '',
      act: () => void signOut().catch(tellProblem),
      icon: LogOut,
    },
  ]
}
