import type { Random } from '../random.ts'
import { anyJson, anyText } from '../schema-values.ts'
import { isOwn, known, write, type Shot, type World } from '../shot.ts'

/** Patches that enlarge, nest, rename or break their target. */
export function hostilePatch(world: World): Shot | undefined {
  const { random } = world
  const model = random.pick(world.models.filter(isOwn))
  const object = known(world, model)
  if (!object) return undefined
  const isMerge = random.chance(0.25)
  const [what, make] = random.pick(isMerge ? merges : patches)
  const path = `${model.path}/${object.name}${model.statusSubresource && random.chance(0.3) ? '/status' : ''}`
  const type = isMerge ? 'application/merge-patch+json' : 'application/json-patch+json'
  const line = write('PATCH', path, make(random), { 'content-type': type })
  return { kind: 'hostile', what: `patch: ${what}`, expected: 'any', line }
}

type Patches = readonly (readonly [string, (random: Random) => unknown])[]

const pointers = [
  '', '/', '//', '/spec', '/spec/', '/metadata', '/metadata/name', '/metadata/version', '/metadata/uid', '/kind', '/apiVersion',
  '/spec/tags/-', '/spec/tags/0', '/spec/tags/01', '/spec/tags/-1', '/spec/tags/99999999999999999999', '/spec/tags/1e3', 'spec', '~',
  '/~', '/~2', '/~0', '/__proto__', '/constructor/prototype', '/spec/constructor', '/spec/length', '/status', '/spec/tags/length',
  '/metadata/labels', '/metadata/finalizers', '/metadata/deletionTimestamp', '/metadata/labels/fuzz',
] // prettier-ignore

function operation(random: Random): unknown {
  return {
    op: random.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'add', 'copy', 'move', 'Add', '', null, 5]),
    path: random.chance(0.95) ? random.pick(pointers) : anyJson(random, 1),
    ...(random.chance(0.8) && { from: random.pick(pointers) }),
    ...(random.chance(0.9) && { value: anyJson(random, 3) }),
  }
}

const patches: Patches = [
  ['garbage', (random) => Array.from({ length: random.whole(0, 5) }, () => operation(random))],
  ['garbage', (random) => Array.from({ length: random.whole(1, 30) }, () => operation(random))],
  ['no list', (random) => anyJson(random, 2)],
  ['no operations', (random) => [anyJson(random, 2)]],
  ['too many', () => Array.from({ length: 1_001 }, () => ({ op: 'test', path: '/kind', value: 'x' }))],
  ['doubling', () => [
    { op: 'add', path: '/spec', value: { a: 'x'.repeat(1_000) } },
    ...Array.from({ length: 40 }, () => ({ op: 'copy', from: '/spec', path: '/spec/b' })),
  ]],
  ['nesting', () => Array.from({ length: 200 }, () => ({ op: 'copy', from: '/spec', path: '/spec/a' }))],
  ['nesting by moves', () => Array.from({ length: 300 }, (_, at) => ({ op: at % 2 === 0 ? 'add' : 'move', path: at % 2 === 0 ? '/x' : '/x/spec', from: '/spec', value: {} }))],
  ['a long pointer', (random) => [{ op: random.pick(['add', 'test', 'remove']), path: '/a'.repeat(random.pick([100, 100_000])), value: 1 }]],
  ['inserting in front', () => [{ op: 'add', path: '/spec', value: { tags: [] } }, ...Array.from({ length: 999 }, () => ({ op: 'add', path: '/spec/tags/0', value: 'x' }))]],
  ['the whole', (random) => [{ op: 'replace', path: '', value: anyJson(random, 3) }]],
  ['nothing left', () => [{ op: 'remove', path: '/metadata' }, { op: 'remove', path: '/spec' }, { op: 'remove', path: '/kind' }]],
  ['into itself', () => [{ op: 'move', from: '/spec', path: '/spec/a/b' }]],
  ['the name', (random) => [{ op: 'replace', path: '/metadata/name', value: anyText(random, 5) }]],
  ['a large test', () => [{ op: 'test', path: '/spec', value: 'x'.repeat(900_000) }]],
] // prettier-ignore

const merges: Patches = [
  ['null', () => null],
  ['all null', () => ({ metadata: null, spec: null, status: null, kind: null, apiVersion: null })],
  ['metadata', (random) => ({ metadata: anyJson(random, 2) })],
  ['spec', (random) => ({ spec: anyJson(random, 3) })],
  ['anything', (random) => anyJson(random, 4)],
  ['deep', () => `${'{"spec":'.repeat(60)}1${'}'.repeat(60)}`],
  ['odd keys', () => ({ spec: { constructor: null, toString: { valueOf: 1 } }, hasOwnProperty: null })],
  ['owned', () => ({ metadata: { uid: null, version: null, creationTimestamp: 5, generation: 'x', deletionTimestamp: null } })],
] // prettier-ignore
