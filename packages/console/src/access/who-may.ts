import { coreResources, type AccessReason, type Rule, type RoleBinding } from '@pergola/api'
import { client, publicApi } from '../server/client.ts'

/** An object, as access reviews name it. */
export interface ReviewedObject {
  readonly group: string
  readonly resource: string
  readonly name: string
}

const ownVerbs = ['get', 'update', 'delete'] as const
/** `patch` counts as changing the object. */
const rolesVerbs = ['get', 'update', 'patch', 'delete'] as const

interface Origin {
  readonly role: string
  readonly path: readonly { readonly role: string }[]
  readonly rule: Rule
}

/** The server's answer, as codes and values that each language turns into a sentence. */
export interface Explanation {
  readonly allowed: boolean
  readonly by?: Origin
  readonly nearest?: Origin & { readonly misses: readonly string[] }
  readonly templates?: readonly string[]
  readonly reasons: readonly AccessReason[]
}

export interface ReviewedRequest {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly name?: string
}

const mostAtOnce = 100

/** Reviews the access of a user (default: the signed-in one); answers in the order of the requests. */
export async function review(
  requests: readonly ReviewedRequest[],
  { user, signal }: { readonly user?: string | undefined; readonly signal?: AbortSignal },
): Promise<readonly Explanation[]> {
  const found: Explanation[] = []
  for (let from = 0; from < requests.length; from += mostAtOnce) {
    const body = { ...(user !== undefined && { user }), requests: requests.slice(from, from + mostAtOnce) }
    const answer = await client.call({ method: 'POST', path: `${publicApi}/accessreviews`, body, signal })
    found.push(...(answer as { readonly items: readonly Explanation[] }).items)
  }
  return found
}

/** For each verb, whether the signed-in user may use it, and why. */
export async function reviewMine(
  object: ReviewedObject,
  signal: AbortSignal,
): Promise<readonly (Explanation & { readonly verb: (typeof ownVerbs)[number] })[]> {
  const items = await review(
    ownVerbs.map((verb) => ({ verb, ...object })),
    { signal },
  )
  return ownVerbs.flatMap((verb, at) => (items[at] ? [{ verb, ...items[at] }] : []))
}

/** A role, the verbs it allows, and its holders. */
export interface AllowingRole {
  readonly name: string
  readonly verbs: ReadonlySet<string>
  /** The users in its bindings; undefined unless the signed-in user can list all bindings. */
  readonly users?: readonly string[]
  readonly bindings: number
}

const mostBindings = 100

/** The roles that allow at least one of the verbs on the object. */
export async function rolesFor(
  object: ReviewedObject,
  { signal, mayListBindings }: { readonly signal: AbortSignal; readonly mayListBindings: boolean },
): Promise<readonly AllowingRole[]> {
  const items = await whoCan(
    rolesVerbs.map((verb) => ({ verb, ...object })),
    signal,
  )
  const found = new Map<string, Counted & { readonly verbs: Set<string> }>()
  for (const [at, roles] of items.entries()) {
    for (const role of roles) {
      const known = found.get(role.name) ?? { ...role, verbs: new Set() }
      known.verbs.add(rolesVerbs[at] ?? '')
      found.set(role.name, known)
    }
  }
  const bound = mayListBindings && found.size > 0 ? await bindingsOf([...found.keys()], signal) : undefined
  return [...found.values()]
    .map((role) => ({ ...role, ...(bound && holdersOf(role, bound.get(role.name) ?? [])) }))
    .toSorted((one, other) => one.name.localeCompare(other.name))
}

export interface Counted {
  readonly name: string
  readonly bindings: number
}

/** For each request, the roles that allow it. */
export async function whoCan(
  requests: readonly ReviewedRequest[],
  signal?: AbortSignal,
): Promise<readonly (readonly Counted[])[]> {
  const answer = await client.call({ method: 'POST', path: `${publicApi}/whocan`, body: { requests }, signal })
  return (answer as { readonly items: readonly { readonly roles: readonly Counted[] }[] }).items.map(
    ({ roles }) => roles,
  )
}

async function bindingsOf(
  roles: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly RoleBinding[]>> {
  const { items } = await client
    .resource(coreResources.roleBindings)
    .list({ size: mostBindings, fieldSelector: [{ key: 'roleRef.name', op: 'in', values: roles }] }, { signal })
  return Map.groupBy(items, ({ roleRef }) => roleRef.name)
}

/** Empty unless all bindings can be listed, because a part of the holders would look like all of them. */
function holdersOf({ bindings: count }: Counted, listed: readonly RoleBinding[]): Pick<AllowingRole, 'users'> {
  if (listed.length < count) return {}
  return { users: [...new Set(listed.flatMap(({ subjects }) => subjects.map(({ name }) => name)))] }
}
