import { isDeepStrictEqual } from 'node:util'
import type { DescribedModel, Json } from '../documents.ts'
import { anyText, valueOf } from '../schema-values.ts'
import { contentOf, isOwn, known, read, tagOf, write, type KnownObject, type Shot, type World } from '../shot.ts'

/** Generates values until the document accepts one; some schemas need several attempts. */
const maxTries = 30
const maxBodyBytes = 1024 * 1024

export function validContent(world: World, model: DescribedModel): Json | undefined {
  for (let tries = 0; tries < maxTries; tries++) {
    const content = valueOf(
      { ...model.schema, type: 'object' },
      { random: world.random, resolve: model.resolve },
    ) as Json
    if (model.isValid(content)) return content
  }
  return undefined
}

export function validMetadata({ own, random }: World, name: string): Json {
  return {
    name,
    labels: { fuzz: own, ...(random.chance(0.3) && { 'fuzz.example.com/tier': random.pick(['gold', 'iron', '']) }) },
    ...(random.chance(0.2) && { annotations: { 'fuzz.example.com/note': anyText(random, 20) } }),
  }
}

/** A request that must be accepted; undefined if the operation needs an object and there is none. */
export function validShot(world: World): Shot | undefined {
  const { random } = world
  const model = random.pick(world.models.filter(isOwn))
  const object = known(world, model)
  if (!object) return create(world, model)
  const choices: readonly [number, () => Shot | undefined][] = [
    [20, () => create(world, model)],
    [15, () => replace(world, model, object)],
    [15, () => mergePatch(world, model, object)],
    [15, () => jsonPatch(world, model, object)],
    [model.statusSubresource ? 20 : 0, () => status(world, model, object)],
    [25, () => list(world, model)],
    [8, () => get(world, model, object)],
    [12, () => remove(world, model, object)],
    [2, () => removeOwn(world, model)],
  ]
  let left = random.whole(
    1,
    choices.reduce((sum, [weight]) => sum + weight, 0),
  )
  return choices.find(([weight]) => (left -= weight) <= 0)?.[1]()
}

function accepted(what: string, shot: Pick<Shot, 'line' | 'check' | 'next'>): Shot {
  return { kind: 'valid', what, expected: 'accepted', ...shot }
}

/** Sometimes adds a dry run. */
function target(path: string, { random }: World): string {
  return random.chance(0.1) ? `${path}?dryRun=true` : path
}

/** Checks that the response has the sent values, with defaults filled in. */
function holds(model: DescribedModel, expected: Json): NonNullable<Shot['check']> {
  const filled = model.filled(JSON.parse(JSON.stringify(expected)) as Json)
  return (body) => {
    const found = contentOf((body ?? {}) as Json)
    return isDeepStrictEqual(found, filled)
      ? undefined
      : `it was stored as ${JSON.stringify(found).slice(0, 300)}, not as ${JSON.stringify(filled).slice(0, 300)}`
  }
}

export function create(world: World, model: DescribedModel): Shot | undefined {
  const content = validContent(world, model)
  if (!content) return undefined
  const { status: _, ...withoutStatus } = content
  const type = world.random.chance(0.5) ? { apiVersion: model.apiVersion, kind: model.kind } : {}
  const body = { ...type, metadata: validMetadata(world, world.freshName()), ...content }
  return accepted('create', {
    line: write('POST', target(model.path, world), body),
    check: holds(model, model.ignoresStatus ? withoutStatus : content),
  })
}

/** The stored contents after a write to the main path, which does not change a separate status. */
function kept(model: DescribedModel, object: KnownObject, content: Json): Json {
  if (!model.ignoresStatus) return content
  const { status: _, ...rest } = content
  const { status: stored } = object.body
  return stored === undefined ? rest : { ...rest, status: stored }
}

function replace(world: World, model: DescribedModel, object: KnownObject): Shot | undefined {
  const { random } = world
  const content = validContent(world, model)
  if (!content) return undefined
  const { uid, version } = object.body.metadata
  const metadata = { ...validMetadata(world, object.name), ...(random.chance(0.5) && { version, uid }) }
  const headers = random.chance(0.3) ? { 'if-match': random.pick(['*', tagOf(object)]) } : {}
  return accepted('replace', {
    line: write('PUT', target(`${model.path}/${object.name}`, world), { metadata, ...content }, headers),
    check: holds(model, kept(model, object, content)),
  })
}

function mergePatch(world: World, model: DescribedModel, object: KnownObject): Shot | undefined {
  const content = validContent(world, model)
  if (!content) return undefined
  const merged = merge(contentOf(object.body), content) as Json
  if (!model.isValid(kept(model, object, merged))) return undefined
  return accepted('merge patch', {
    line: write('PATCH', target(`${model.path}/${object.name}`, world), content, {
      'content-type': 'application/merge-patch+json',
    }),
    check: holds(model, kept(model, object, merged)),
  })
}

/** RFC 7386. */
function merge(target_: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged: Record<string, unknown> = isObject(target_) ? { ...target_ } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else merged[key] = merge(Object.hasOwn(merged, key) ? merged[key] : undefined, value)
  }
  return merged
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function jsonPatch(world: World, model: DescribedModel, object: KnownObject): Shot | undefined {
  const content = validContent(world, model)
  if (!content) return undefined
  const spec = content['spec']
  const before = object.body['spec']
  // A value at the depth limit of a body is too deep inside a patch operation.
  const isTested = before !== undefined && depthOf(before) < 60
  const operations: object[] = isTested ? [{ op: 'test', path: '/spec', value: before }] : []
  operations.push({ op: 'test', path: '/metadata/name', value: object.name })
  if (spec === undefined) return undefined
  operations.push({ op: 'add', path: '/spec', value: {} })
  for (const [key, value] of Object.entries(spec as Json)) {
    operations.push({ op: 'add', path: `/spec/${pointed(key)}`, value })
  }
  // The operations take more space than the object that they produce.
  if (Buffer.byteLength(JSON.stringify(operations)) > maxBodyBytes) return undefined
  const { spec: _, ...rest } = contentOf(object.body)
  return accepted('JSON patch', {
    line: write('PATCH', target(`${model.path}/${object.name}`, world), operations, {
      'content-type': 'application/json-patch+json',
    }),
    check: holds(model, { ...rest, spec }),
  })
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

function pointed(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

function status(world: World, model: DescribedModel, object: KnownObject): Shot | undefined {
  const content = validContent(world, model)
  if (content?.['status'] === undefined) return undefined
  const sent = { metadata: { name: object.name }, status: content['status'] }
  const path = target(`${model.path}/${object.name}/status`, world)
  const check = holds(model, { ...contentOf(object.body), status: sent.status })
  if (world.random.chance(0.5)) return accepted('status', { line: write('PUT', path, sent), check })
  const patch = [{ op: 'add', path: '/status', value: sent.status }]
  const line = write('PATCH', path, patch, { 'content-type': 'application/json-patch+json' })
  return accepted('status patch', { line, check })
}

function get(world: World, model: DescribedModel, object: KnownObject): Shot {
  const tag = tagOf(object)
  if (world.random.chance(0.3)) {
    return accepted('get unchanged', {
      line: read(`${model.path}/${object.name}`, { 'if-none-match': world.random.pick([tag, `W/${tag}`, '*']) }),
      check: (_, { status: found }) => (found === 304 ? undefined : `it is unchanged and was answered ${found}`),
    })
  }
  const method = world.random.pick(['GET', 'HEAD'])
  return accepted('get', { line: { ...read(`${model.path}/${object.name}`), method } })
}

/** An object with a finalizer stays until it has none. */
function remove(world: World, model: DescribedModel, object: KnownObject): Shot {
  const path = `${model.path}/${object.name}`
  const isGone: Shot = {
    kind: 'valid',
    what: 'read what was deleted',
    line: read(path),
    expected: 'refused',
  }
  if (world.random.chance(0.8)) {
    const headers = world.random.chance(0.3) ? { 'if-match': tagOf(object) } : {}
    return accepted('delete', { line: { method: 'DELETE', path, headers }, next: () => [isGone] })
  }
  const merging = { 'content-type': 'application/merge-patch+json' }
  const hold = { metadata: { finalizers: ['fuzz.example.com/hold'] } }
  return accepted('hold', {
    line: write('PATCH', path, hold, merging),
    next: () => [
      accepted('delete what is held', {
        line: { method: 'DELETE', path, headers: {} },
        check: (deleted) =>
          (deleted as KnownObject['body']).metadata['deletionTimestamp'] === undefined
            ? 'it has no deletionTimestamp'
            : undefined,
      }),
      accepted('let go', { line: write('PATCH', path, { metadata: { finalizers: null } }, merging) }),
      isGone,
    ],
  })
}

function removeOwn(world: World, model: DescribedModel): Shot {
  const dryRun = world.random.chance(0.5)
  const path = `${model.path}?labelSelector=fuzz%3D${world.own}${dryRun ? '&dryRun=true' : ''}`
  return accepted('delete by selector', { line: { method: 'DELETE', path, headers: {} } })
}

function list(world: World, model: DescribedModel): Shot {
  const { random } = world
  const query = new URLSearchParams()
  if (random.chance(0.9)) query.set('size', String(random.pick([1, 2, 5, 20, 100])))
  if (query.has('size') && random.chance(0.3)) query.set('page', String(random.whole(1, 5)))
  const sortable = [...model.indexes.filter(({ multi }) => !multi).map(({ name }) => name), 'metadata.name']
  for (let keys = random.whole(0, 2); keys > 0; keys--) {
    query.append('sort', `${random.pick(sortable)}${random.pick(['', ',asc', ',DESC'])}`)
  }
  if (random.chance(0.4)) query.append('labelSelector', labelTerm(world))
  if (random.chance(0.5)) query.append('fieldSelector', fieldTerm(world, model))
  if (random.chance(0.1)) query.set('exactTotal', 'true')
  return accepted('list', {
    line: { ...read(`${model.path}?${query.toString()}`), method: random.pick(['GET', 'GET', 'GET', 'HEAD']) },
    next: (body) => {
      const { continue: token } = (body ?? {}) as { continue?: string }
      return token === undefined
        ? []
        : [accepted('list on', { line: read(`${model.path}?continue=${encodeURIComponent(token)}`) })]
    },
  })
}

function labelTerm({ random, own }: World): string {
  return random.pick([
    `fuzz=${own}`,
    `fuzz!=${own}`,
    'fuzz',
    '!fuzz.example.com/tier',
    'fuzz=(w1,w2),fuzz.example.com/tier=',
  ])
}

function fieldTerm({ random }: World, model: DescribedModel): string {
  const { name, type } = random.pick([...model.indexes, { name: 'metadata.name', type: 'string' }])
  const value = () => {
    if (type === 'number') return String(random.pick([0, 1, -5, 3.25, random.whole(0, 1e6)]))
    if (type === 'boolean') return random.pick(['true', 'false'])
    if (type === 'timestamp') return '2020-01-02T03:04:05Z'
    return (
      anyText(random, random.whole(1, 6))
        .replaceAll(/[\\,()=!<>^]/g, String.raw`\$&`)
        .trim() || 'a'
    )
  }
  const forms = [
    () => `${name}=${value()}`,
    () => `${name}!=${value()}`,
    () => name,
    () => `!${name}`,
    () => `${name}=(${value()},${value()})`,
    () => `${name}!=(${value()})`,
    () => `${name}${random.pick(['>', '>=', '<', '<='])}${value()}`,
    () => (type === 'string' ? `${name}^=${value()}` : name),
  ]
  return random.pick(forms)()
}
