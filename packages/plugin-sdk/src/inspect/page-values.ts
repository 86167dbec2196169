import type { AnyModel } from '../model/model.ts'
import type { AnyPlugin } from '../plugin.ts'
import type { RoleTemplate } from '../role-template.ts'
import type { AnyOwned } from '../route/owned.ts'
import type { AnyRoute } from '../route/route.ts'
import { claimedGroups } from './claimed-groups.ts'
import { roleNameOf, uiPermissionsOf } from './declare-roles.ts'
import { audiences, declareRoutes, routesFor } from './declare-routes.ts'

/** What a console page gets for an import from a file of the server: addresses as plain JSON, no code. */
export type PageValues = Readonly<Record<string, object>>

/** The exports of a module that pages can use: models, owned objects, routes of the plugin and role templates. */
export function pageValues(plugin: AnyPlugin, exported: Readonly<Record<string, unknown>>): PageValues {
  const routes = routeAddresses(plugin)
  return Object.fromEntries(
    Object.entries(exported).flatMap(([name, value]) => {
      const found = typeof value === 'object' && value !== null ? valueOf(plugin, value, routes) : undefined
      return found ? [[name, found]] : []
    }),
  )
}

function valueOf(plugin: AnyPlugin, value: object, routes: ReadonlyMap<object, object>): object | undefined {
  if ('plural' in value && 'singular' in value) return modelAddress(value as AnyModel | (AnyOwned & AnyModel))
  if ('template' in value) return roleValue(plugin, value as RoleTemplate)
  return routes.get(value)
}

function modelAddress({ group, version, kind, plural, singular, references }: AnyModel): object {
  return { group, version, kind, plural, singular, references }
}

function roleValue(plugin: AnyPlugin, role: RoleTemplate): object {
  return {
    template: role.template,
    roleName: roleNameOf(plugin.name, role),
    uiPermissions: uiPermissionsOf(plugin, role),
  }
}

function routeAddresses(plugin: AnyPlugin): ReadonlyMap<object, object> {
  const routes = audiences.flatMap((audience): readonly AnyRoute[] => routesFor(plugin, audience))
  const declared = declareRoutes(plugin, claimedGroups(plugin, {}, ignore), ignore)
  return new Map(
    routes.map((route, at) => [route, { method: route.method, path: declared[at]?.declaration.path ?? route.path }]),
  )
}

/** Faults are reported by `inspect`. */
function ignore(): void {}
