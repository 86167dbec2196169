import type { Plan, PlanItem, PlanItemOf, PlanSection } from '@pergola/api'
import { roleOf, type PlacedItem } from './plan-words.ts'

/** An approval with its own checkbox. Without an item, the server sent only its name. */
export interface Decision {
  readonly approval: string
  readonly placed?: PlacedItem
}

interface SheetRole {
  readonly name: string
  readonly title: string
  readonly items: readonly PlacedItem[]
}

export interface SheetRoute {
  readonly method: string
  readonly path: string
  readonly who: 'anybody' | 'signed-in' | 'role' | 'super-administrators'
  /** Display names of the roles. */
  readonly roles: readonly string[]
}

/** A plan, grouped for the review. */
export interface Sheet {
  readonly blocked: readonly PlacedItem[]
  readonly decisions: readonly Decision[]
  /** Takes effect for every signed-in user. Approved by installing, without a checkbox. */
  readonly everybody: readonly PlacedItem[]
  readonly roles: readonly SheetRole[]
  readonly models: readonly PlanItemOf<'model'>[]
  readonly background: readonly PlanItem[]
  readonly settings: readonly PlanItem[]
  readonly routes: readonly SheetRoute[]
  /** Upgrades: additions, changes and removals that need no checkbox. */
  readonly changes: readonly PlacedItem[]
  /** All other sections. */
  readonly others: readonly PlanSection[]
}

export function sheetOf({ sections, approvals }: Pick<Plan, 'sections' | 'approvals'>): Sheet {
  const placed = sections.flatMap(({ code, items }) => items.map((item): PlacedItem => ({ section: code, item })))
  const ticked = placed.filter(({ item }) => needsTick(item))
  const rest = placed.filter(({ item }) => !needsTick(item))
  const unchanged = rest.filter(({ section, item }) => section !== 'blocked' && item.change === undefined)
  const at = (section: string) => unchanged.filter((one) => one.section === section)
  const itemsAt = (section: string) => at(section).map(({ item }) => item)
  const named = new Set(placed.map(({ item }) => item.approval))
  return {
    blocked: rest.filter(({ section }) => section === 'blocked'),
    decisions: [
      ...ticked.map((one) => ({ approval: one.item.approval ?? '', placed: one })),
      ...approvals.filter((name) => !named.has(name)).map((approval) => ({ approval })),
    ],
    everybody: at('signed-in'),
    roles: rolesIn(at('roles')),
    models: itemsAt('models').filter((item) => item.code === 'model'),
    background: itemsAt('background'),
    settings: itemsAt('settings'),
    routes: routesIn(placed.filter(({ item }) => item.change === undefined)),
    changes: rest.filter(({ section, item }) => section !== 'blocked' && item.change !== undefined),
    others: sections.flatMap((section) => otherIn(section)),
  }
}

/** The approvals to send: the ticked ones, and those that installing approves. */
export function approvalsOf({ decisions, everybody, changes }: Sheet, ticks: ReadonlySet<string>): readonly string[] {
  const shown = [...everybody, ...changes].flatMap(({ item }) => item.approval ?? [])
  const accepted = decisions.map(({ approval }) => approval).filter((approval) => ticks.has(approval))
  return [...new Set([...accepted, ...shown])]
}

export function decisionsLeft({ decisions }: Sheet, ticks: ReadonlySet<string>): number {
  return new Set(decisions.map(({ approval }) => approval).filter((approval) => !ticks.has(approval))).size
}

function needsTick({ approval, risk }: PlanItem): boolean {
  return approval !== undefined && risk !== 'everybody'
}

const placedElsewhere = new Set(['blocked', 'signed-in', 'roles', 'models', 'background', 'settings'])

/** Leaves out the host version, which the header shows. */
function otherIn({ code, items }: PlanSection): readonly PlanSection[] {
  if (placedElsewhere.has(code)) return []
  const left = items.filter((item) => !needsTick(item) && item.change === undefined && item.code !== 'host-version')
  return left.length > 0 ? [{ code, items: left }] : []
}

function rolesIn(items: readonly PlacedItem[]): readonly SheetRole[] {
  const roles = new Map<string, SheetRole>()
  for (const placed of items) {
    const { name, title } = roleOf(placed.item) ?? { name: '', title: '' }
    roles.set(name, { name, title, items: [...(roles.get(name)?.items ?? []), placed] })
  }
  return [...roles.values()]
}

const whoIn: Readonly<Record<string, SheetRoute['who']>> = {
  public: 'anybody',
  'signed-in': 'signed-in',
  roles: 'role',
  unreached: 'super-administrators',
}

/** Each route once, with the widest audience that may call it. */
function routesIn(items: readonly PlacedItem[]): readonly SheetRoute[] {
  const order = Object.values(whoIn)
  const routes = new Map<string, SheetRoute>()
  for (const { section, item } of items) {
    const who = whoIn[section]
    if (item.code !== 'route' || who === undefined) continue
    const { method, path } = item.values
    const known = routes.get(`${method} ${path}`)
    const roles = [...(known?.roles ?? []), ...(who === 'role' ? [roleOf(item)?.title ?? ''] : [])]
    const widest = known && order.indexOf(known.who) < order.indexOf(who) ? known.who : who
    routes.set(`${method} ${path}`, { method, path, who: widest, roles })
  }
  return [...routes.values()]
}
