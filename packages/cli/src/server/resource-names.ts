import type { KnownResource } from './known-resource.ts'

/** `todos.todo.example.com`; core resources have no group. */
export function fullName({ plural, group }: Pick<KnownResource, 'plural' | 'group'>): string {
  return group === '' ? plural : `${plural}.${group}`
}

/** The plural alone if it means this resource, otherwise the full name. */
export function shortestName(known: readonly KnownResource[], resource: KnownResource): string {
  const { plural, group } = resource
  const others = known.filter((one) => one.group !== group && [one.plural, one.singular].includes(plural))
  return group === '' || others.length === 0 ? plural : fullName(resource)
}

/** All resources with this plural or singular, optionally with a group; only the core resource, if there is one. */
export function resourcesNamed(known: readonly KnownResource[], named: string): readonly KnownResource[] {
  const dot = named.indexOf('.')
  const [bare, group] = dot < 0 ? [named, undefined] : [named.slice(0, dot), named.slice(dot + 1)]
  const isMeant = ({ plural, singular }: KnownResource) => plural === bare || singular === bare
  const found = known.filter((one) => isMeant(one) && (group === undefined || one.group === group))
  return found.length > 1 && group === undefined ? preferCore(found) : found
}

function preferCore(found: readonly KnownResource[]): readonly KnownResource[] {
  const core = found.filter(({ group }) => group === '')
  return core.length === 1 ? core : found
}
