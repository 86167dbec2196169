import { nearest, type Rule } from '@pergola/api'
import type { Controller } from '../controller.ts'
import type { AnyIndexOption } from '../model/index-options.ts'
import type { AnyModel } from '../model/model.ts'
import type { ConsolePage } from '../console-page.ts'
import type { AnyPlugin } from '../plugin.ts'
import type { Grant, RoleTemplate } from '../role-template.ts'
import type { Owned, OwnedGrant } from '../route/owned.ts'
import type { AnyRoute } from '../route/route.ts'
import type { Schedule, Timing } from '../schedule.ts'

/** Keys of every object type in a union. */
type KeyOf<Of> = Of extends object ? keyof Of : never
type Keys<Of> = readonly KeyOf<Of>[]

const plugin: Keys<AnyPlugin> = [
  ...([
    'name',
    'displayName',
    'description',
    'icon',
    'color',
    'requires',
    'dependencies',
    'needs',
    'api',
    'models',
    'roles',
  ] as const),
  ...(['console', 'uc', 'public', 'settings', 'controllers', 'schedules', 'permissions', 'pages'] as const),
]
const model: Keys<AnyModel> = [
  ...(['apiVersion', 'group', 'version', 'kind', 'singular', 'plural'] as const),
  ...(['spec', 'status', 'statusSubresource', 'indexes', 'composites', 'display', 'check', 'references'] as const),
]
const index: Keys<AnyIndexOption> = ['path', 'name', 'single', 'multi', 'unique', 'order', 'revision']
const route: Keys<AnyRoute> = [
  ...(['method', 'path', 'handler', 'allow', 'body', 'query', 'response'] as const),
  ...(['stream', 'accepts', 'produces', 'maxBody', 'responseHeaders', 'description'] as const),
]
const owned: Keys<Owned<never>> = [
  ...(['model', 'path', 'allow', 'readOnly', 'group', 'version', 'plural', 'singular', 'references'] as const),
]
const grant: Keys<OwnedGrant> = ['to', 'verbs']
const controller: Keys<Controller> = ['model', 'reconcile', 'deleted', 'concurrency', 'finalizer']
const schedule: Keys<Schedule> = ['timing', 'run']
const timing: Keys<Timing> = ['every', 'cron']
const page: Keys<ConsolePage> = ['path', 'title', 'allow', 'meta', 'inMenu']
const meta: Keys<ConsolePage['meta']> = ['permissions']
const role: Keys<RoleTemplate> = [
  ...(['template', 'displayName', 'rules', 'dependencies', 'aggregateTo', 'hidden'] as const),
  ...(['module', 'uiPermissions', 'roleName'] as const),
]
const rule: Keys<Grant | Rule> = [
  ...(['model', 'verbs', 'names', 'subresource'] as const),
  ...(['apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const),
]

/** Everything that a part of a plugin may contain: its options, and what the SDK derives from them. */
const keysOf = { plugin, model, index, route, owned, grant, controller, schedule, timing, page, meta, role, rule }

/** Names that other systems have for options. */
const otherWords: Readonly<Record<string, string>> = {
  indexFunc: 'write single for one value, or multi for several',
}

/** Reports misspelt options. The types reject them too, but neither packing nor development mode checks types. */
export function optionFaults(part: keyof typeof keysOf, value: object, report: (fault: string) => void): void {
  const known: readonly string[] = keysOf[part]
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const meant = nearest(key, known)
    const next = otherWords[key] ?? (meant === undefined ? 'remove it' : `did you mean ${meant}?`)
    report(`"${key}" is not an option; ${next}`)
  }
}
