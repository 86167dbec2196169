import type { DescribedModel, Json } from '../documents.ts'
import { mutated } from '../mutations.ts'
import { anyText } from '../schema-values.ts'
import { contentOf, isOwn, known, write, type KnownObject, type Shot, type World } from '../shot.ts'
import { create, validContent, validMetadata } from './valid.ts'

/** A request with one mistake. The document decides whether its contents are still valid. */
export function nearValidShot(world: World): Shot | undefined {
  const { random } = world
  const model = random.pick(world.models.filter((candidate) => isOwn(candidate) || candidate.kind === 'Role'))
  const object = known(world, model)
  if (!object) return create(world, model)
  return random.pick([
    () => mutatedCreate(world, model),
    () => mutatedReplace(world, model, object),
    () => wrongMetadata(world, model, object),
    () => wrongMetadata(world, model, object),
    () => wrongState(world, model, object),
    () => (model.statusSubresource ? mutatedStatus(world, model, object) : mutatedCreate(world, model)),
  ])()
}

function judged(model: DescribedModel, content: Json, shot: Pick<Shot, 'what' | 'line'>): Shot {
  const { status: _, ...withoutStatus } = content
  const isValid = model.isValid(model.ignoresStatus ? withoutStatus : content)
  return { kind: isValid ? 'valid' : 'near-valid', expected: isValid ? 'accepted' : 'refused', ...shot }
}

function mutatedCreate(world: World, model: DescribedModel): Shot | undefined {
  const content = validContent(world, model)
  if (!content || Object.keys(content).length === 0) return undefined
  const { value, what } = mutated(content, world.random)
  const body = { metadata: validMetadata(world, world.freshName()), ...(value as Json) }
  return judged(model, value as Json, { what: `create, ${what}`, line: write('POST', model.path, body) })
}

function mutatedReplace(world: World, model: DescribedModel, object: KnownObject): Shot | undefined {
  const before = contentOf(object.body)
  if (Object.keys(before).length === 0) return undefined
  const { value, what } = mutated(before, world.random)
  const { status: _, ...sent } = value as Json
  const content = model.ignoresStatus ? sent : (value as Json)
  const body = { metadata: { name: object.name }, ...content }
  return judged(model, content, {
    what: `replace, ${what}`,
    line: write('PUT', `${model.path}/${object.name}`, body),
  })
}

function mutatedStatus(world: World, model: DescribedModel, object: KnownObject): Shot {
  const { value, what } = mutated({ status: { phase: 'Done', count: 3 } }, world.random)
  const { status } = value as Json
  const stored = contentOf(object.body)
  const { status: _, ...rest } = stored
  const after = status === undefined ? rest : { ...rest, status }
  const isValid = model.isValid(after)
  return {
    kind: isValid ? 'valid' : 'near-valid',
    what: `status, ${what}`,
    expected: isValid || isDeepEqualJson(status, stored['status']) ? 'accepted' : 'refused',
    line: write('PUT', `${model.path}/${object.name}/status`, { status }),
  }
}

function isDeepEqualJson(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

const wrongMetadataOf: readonly [string, (name: string) => unknown][] = [
  ['no metadata', () => undefined],
  ['null', () => null],
  ['a number', () => 5],
  ['a text', () => 'abc'],
  ['a list', () => [1]],
  ['unknown field', (name) => ({ name, nmae: 'x' })],
  ['owner references', (name) => ({ name, ownerReferences: [] })],
  ['name of another type', () => ({ name: 5 })],
  ['name null', () => ({ name: null })],
  ['name in capitals', () => ({ name: 'UPPER' })],
  ['name with a slash', () => ({ name: 'a/b' })],
  ['name too long', () => ({ name: 'a'.repeat(300) })],
  ['name empty', () => ({ name: '' })],
  ['labels of another type', (name) => ({ name, labels: ['a'] })],
  ['labels null', (name) => ({ name, labels: null })],
  ['label value of another type', (name) => ({ name, labels: { a: 1 } })],
  ['label value too long', (name) => ({ name, labels: { a: 'x'.repeat(254) } })],
  ['label key wrong', (name) => ({ name, labels: { 'a b': 'x' } })],
  ['label key inherited', (name) => ({ name, labels: { constructor: {} } })],
  [
    'too many labels',
    (name) => ({ name, labels: Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`k${at}`, ''])) }),
  ],
  ['annotation of another type', (name) => ({ name, annotations: { a: {} } })],
  ['annotations too large', (name) => ({ name, annotations: { a: 'x'.repeat(300_000) } })],
  ['finalizer with a space', (name) => ({ name, finalizers: ['hold it'] })],
  ['finalizers of another type', (name) => ({ name, finalizers: 'fuzz.example.com/hold' })],
  ['finalizer twice', (name) => ({ name, finalizers: ['a.example/b', 'a.example/b'] })],
  ['too many finalizers', (name) => ({ name, finalizers: Array.from({ length: 33 }, (_, at) => `a.example/b${at}`) })],
]

function wrongMetadata(world: World, model: DescribedModel, object: KnownObject): Shot | undefined {
  const { random } = world
  const content = validContent(world, model)
  if (!content) return undefined
  const [what, make] = random.pick(wrongMetadataOf)
  const isCreate = random.chance(0.5)
  // The path has the name.
  if (!isCreate && what === 'no metadata') return undefined
  const metadata = make(isCreate ? world.freshName() : object.name)
  const line = isCreate
    ? write('POST', model.path, { ...content, metadata })
    : write('PUT', `${model.path}/${object.name}`, { ...content, metadata })
  return {
    kind: 'near-valid',
    what: `${isCreate ? 'create' : 'replace'}, metadata: ${what}`,
    expected: 'refused',
    line,
  }
}

function wrongState(world: World, model: DescribedModel, { name, body }: KnownObject): Shot {
  const { random } = world
  const path = `${model.path}/${name}`
  const { version } = body.metadata
  const content = contentOf(body)
  const withMetadata = (more: Json) => ({ metadata: { name, ...more }, ...content })
  const missing = `${model.path}/${world.freshName()}`
  const rows: readonly [string, Shot['line']][] = [
    ['wrong version', write('PUT', path, withMetadata({ version: version + random.pick([1, -1, 1000]) }))],
    ['version of another type', write('PUT', path, withMetadata({ version: random.pick(['0', null, [], 0.5]) }))],
    ['wrong uid', write('PUT', path, withMetadata({ uid: random.pick(['', 'x', 5, null]) }))],
    ['wrong tag', write('PUT', path, withMetadata({}), { 'if-match': random.pick(['"x"', 'x', '""', 'W/"x"', ',']) })],
    [
      'delete by a wrong tag',
      { method: 'DELETE', path, headers: { 'if-match': `"${anyText(random, 5).replaceAll(/[^a-z]/g, 'q')}"` } },
    ],
    ['exists already', write('POST', model.path, withMetadata({}))],
    ['renamed', write('PUT', path, { ...content, metadata: { name: `${name}x` } })],
    ['wrong kind', write('PUT', path, { ...withMetadata({}), kind: random.pick(['Other', null, 5, {}]) })],
    ['wrong apiVersion', write('POST', model.path, { ...withMetadata({}), apiVersion: 'v1' })],
    ['nothing there', write('PUT', missing, content)],
    ['nothing to delete', { method: 'DELETE', path: missing, headers: {} }],
    ['nothing to patch', write('PATCH', missing, {}, { 'content-type': 'application/merge-patch+json' })],
    ['everything', { method: 'DELETE', path: model.path, headers: {} }],
    ['unknown parameter', write('PUT', `${path}?dryrun=true`, withMetadata({}))],
    ['flag of another type', write('PUT', `${path}?dryRun=yes`, withMetadata({}))],
  ]
  const [what, line] = random.pick(rows)
  return { kind: 'near-valid', what, expected: 'refused', line }
}
