import { CircleUser, Keyboard, Languages, LogOut, Moon, PanelLeft, Plus, Puzzle, Rows3, Sun } from '@lucide/vue'
import type { RouteLocationNormalized, RouteLocationRaw } from 'vue-router'
import { tellProblem } from '../kit/tell.ts'
import { modelsAllowing } from '../models/allowed-models.ts'
import type { ListedModel } from '../models/listed-models.ts'
import { manyOf, oneOf } from '../models/kind-words.ts'
import { mayDo } from '../session/permissions.ts'
import { signOut } from '../session/session.ts'
import { keys } from '../shell/keys.ts'
import type { MenuSection } from '../shell/use-menu.ts'
import { density, isDark, isRail, theme } from '../theme.ts'
import { language, languages, words, type Language } from '../words/words.ts'
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
      keys: keysOfPage(to),
    })),
  )
  const account = { key: 'page account', title: words.value.account.title, hint: '', act: { name: 'account' } }
  return [...inMenu, { ...account, icon: CircleUser }]
}

function keysOfPage(to: RouteLocationRaw): string | undefined {
  const name = typeof to === 'object' && 'name' in to ? to.name : undefined
  return name === 'home' || name === 'plugins' || name === 'users' ? keys[name] : undefined
}

const packages = { group: 'console.api.platform.run', resource: 'plugins', subresource: 'packages' }

export interface ActionContext {
  /** The page below the search: its own actions come first, with their keys. */
  readonly route: Pick<RouteLocationNormalized, 'name' | 'params'>
  readonly showKeys: () => void
}

/** Actions that the signed-in user may perform: create, install, settings of the console. */
export async function actionHits(context: ActionContext): Promise<readonly Hit[]> {
  const [creatable, mayInstall, mayOpenUsers, mayOpenRoles] = await Promise.all([
    modelsAllowing('create'),
    mayDo({ verb: 'create', ...packages }),
    mayDo({ verb: 'list', group: '', resource: 'users' }),
    mayDo({ verb: 'get', group: '', resource: 'roles' }),
  ])
  const { plugins, users, roles } = words.value
  const creates = (plural: string) => creatable.some((model) => model.group === '' && model.plural === plural)
  const toUser = { name: 'users', hash: '#new' }
  const toRole = { name: 'role', params: { name: '-new' } }
  const ofModels = oneVersionOfEach(creatable)
    .filter(({ hasPage }) => !hasPage)
    .map((model) => newHit(model, context))
  return [
    ...ofModels.filter(({ keys: own }) => own !== undefined),
    ...ofModels.filter(({ keys: own }) => own === undefined),
    ...(mayOpenUsers && creates('users')
      ? [{ key: 'new user', title: users.new, hint: '', act: toUser, icon: Plus }]
      : []),
    ...(mayOpenRoles && creates('roles')
      ? [{ key: 'new role', title: roles.new, hint: '', act: toRole, icon: Plus }]
      : []),
    ...(mayInstall
      ? [{ key: 'install', title: plugins.install, hint: '', act: { name: 'install-plugin' }, icon: Puzzle }]
      : []),
    ...ownHits(context),
  ]
}

function newHit(model: ListedModel, { route }: ActionContext): Hit {
  const { group, version, plural } = model
  const title = words.value.objects.new(oneOf(model))
  const params = { group: group || '-', version, plural }
  const isOpen = route.name === 'objects' && route.params['group'] === params.group && route.params['plural'] === plural
  return {
    key: `new ${group}/${plural}`,
    title,
    // Some languages leave out a name that they cannot put into a sentence.
    hint: title.includes(oneOf(model)) ? group : [manyOf(model), group].filter((part) => part !== '').join(' · '),
    act: { name: 'new-object', params },
    icon: Plus,
    keys: isOpen ? keys.new : undefined,
  }
}

/** What every user may change: theme, language and density, the menu, the session. */
function ownHits({ showKeys }: ActionContext): readonly Hit[] {
  const { account, menu, keys: ofKeys } = words.value
  const all = Object.keys(languages) as readonly Language[]
  const other = density.value === 'compact' ? 'comfortable' : 'compact'
  return [
    {
      key: 'theme',
      title: isDark.value ? account.toLight : account.toDark,
      hint: account.theme,
      act: () => void (theme.value = isDark.value ? 'light' : 'dark'),
      icon: isDark.value ? Sun : Moon,
    },
    ...all
      .filter((one) => one !== language.value)
      .map((one) => ({
        key: `language ${one}`,
        title: languages[one],
        hint: account.language,
        act: () => void (language.value = one),
        icon: Languages,
      })),
    {
      key: 'density',
      title: account.densities[other],
      hint: account.density,
      act: () => void (density.value = other),
      icon: Rows3,
    },
    {
      key: 'menu',
      title: isRail.value ? menu.expand : menu.collapse,
      hint: '',
      act: () => void (isRail.value = !isRail.value),
      icon: PanelLeft,
      keys: keys.menu,
    },
    { key: 'keys', title: ofKeys.title, hint: '', act: showKeys, icon: Keyboard, keys: keys.list },
    { key: 'sign out', title: account.signOut, hint: '', act: () => void signOut().catch(tellProblem), icon: LogOut },
  ]
}
