import type { Random } from '../random.ts'
import { anyText } from '../schema-values.ts'
import { isOwn, known, read, type Shot, type World } from '../shot.ts'

const counts = [
  '0', '-1', '1.5', '', 'NaN', '0x10', '%D9%A3', '1e3', '%201', '+1', '999999999', '9999999999', '9007199254740993', 'null',
  '1,2', '01', '501', '10001', '1%00', '%', '%F0%9D%9F%99',
] // prettier-ignore
const fields = [
  'metadata.name', 'metadata.labels', 'metadata.creationTimestamp', 'metadata.deletionTimestamp', '__proto__', 'constructor',
  'spec', '', 'spec.title', 'names', 'status.edition', 'toString', 'spec.title.x', 'metadata.uid',
] // prettier-ignore

/** Random selectors, sorts, pages and cursors. */
export function hostileQuery(world: World): Shot {
  const { random } = world
  const model = random.pick(world.models)
  const field = () => random.pick([...fields, ...model.indexes.map(({ name }) => name)])
  const parts = Array.from({ length: random.whole(1, 3) }, () => part(random, field))
  const query = parts.join('&')
  const object = known(world, model)
  if (isOwn(model) && random.chance(0.2)) {
    return shot({ method: 'DELETE', path: `${model.path}?dryRun=true&${query}`, headers: {} })
  }
  return shot(read(`${model.path}${object && random.chance(0.2) ? `/${object.name}` : ''}?${query}`))
}

function shot(line: Shot['line']): Shot {
  return { kind: 'hostile', what: 'query', expected: 'any', line }
}

function part(random: Random, field: () => string): string {
  const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
  return random.pick([
    () => `labelSelector=${encoded(garbage(random))}`,
    () =>
      Array.from({ length: random.pick([1, 8, 9]) }, () => `anyOf=${encoded(`${field()}=${anyValue(random)}`)}`).join(
        '&',
      ),
    () => `fieldSelector=${encoded(garbage(random))}`,
    () =>
      `fieldSelector=${encoded(`${field()}${random.pick(['=', '!=', '>', '<=', '^=', '=(', '==', ''])}${anyValue(random)}`)}`,
    () =>
      `fieldSelector=metadata.name%3D(${Array.from({ length: random.pick([499, 501, 1_500]) }, (_, at) => `n${at}`).join()})`,
    () => `labelSelector=${encoded(`${anyText(random, 5)}=${anyValue(random)}`)}`,
    () => `sort=${encoded(`${field()}${random.pick(['', ',', ',asc', ',up', ',asc,asc', ',desc '])}`)}`,
    () => Array.from({ length: random.pick([2, 40]) }, () => `sort=${encoded(field())}`).join('&'),
    () =>
      Array.from({ length: random.pick([2, 100]) }, () => `labelSelector=${encoded(`k${random.whole(0, 99)}=v`)}`).join(
        '&',
      ),
    () => `size=${random.pick(counts)}`,
    () => `page=${random.pick(counts)}&size=${random.pick([...counts, '5', '500'])}`,
    () => `continue=${encoded(cursor(random))}`,
    () => `continue=${encoded(cursor(random))}`,
    () =>
      `${random.pick(['dryRun', 'exactTotal', 'all'])}=${random.pick(['TRUE', '1', '', 'true&dryRun=true', 'false'])}`,
    () => `${encoded(anyText(random, 8))}=${encoded(anyText(random, 8))}`,
    () => `${random.pick(['__proto__', 'constructor', 'a[b]', 'a[]', ''])}=x`,
    () => 'x'.repeat(random.pick([1_000, 9_000, 17_000])),
    () => random.pick(['%', '%zz', '%ff', '&&&', '=', '?', '??size=1', 'size', 'size=1;page=2', '+', '%00']),
    () => `revision=${encoded(anyText(random, 8))}&initial=true`,
  ])()
}

const selectorLetters = [...Array.from(String.raw`abk=!<>^,()\ ./-`), '😀', '\0', '\u2028']

function garbage(random: Random): string {
  return Array.from({ length: random.whole(0, 30) }, () => random.pick(selectorLetters)).join('')
}

function anyValue(random: Random): string {
  return random.pick([
    () => '',
    () => 'a',
    () => 'x'.repeat(random.pick([512, 513, 2_000])),
    () => '\0',
    () => '1e400',
    () => '-0',
    () => '9'.repeat(400),
    () => '1e-400',
    () => 'NaN',
    () => '2020-13-45T99:99:99Z',
    () => '0000-01-01T00:00:00Z',
    () => '9999-12-31T23:59:60Z',
    () => '+275760-09-13T00:00:00.001Z',
    () => 'TRUE',
    () => '%',
    () => '_',
    () => "' OR 1=1 --",
    () => anyText(random, 10),
  ])()
}

function cursor(random: Random): string {
  const token = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const inner = () =>
    random.pick<() => unknown>([
      () => '',
      () => 'x',
      () => '0',
      () => '-1',
      () => '9223372036854775808',
      () => anyText(random, 12),
      () =>
        token(
          random.pick<unknown>([[], {}, null, 1, 'x', [1], [null, 'x'], ['x', 1], { id: 'x' }, [[]], ['1', 'a', 'b']]),
        ),
      () => token([random.pick<unknown>([null, 'a', 1, {}, []]), random.pick<unknown>([0, '1', -1, 2 ** 60, null])]),
      () => 'x'.repeat(3_000),
    ])()
  const size = () => random.pick<unknown>([1, 2, 500, 501, 2 ** 53 - 1, 0, -1, 1.5, '1', null])
  return random.pick([
    () =>
      token([
        size(),
        size(),
        inner(),
        random.pick(['', 'sort=metadata.name', 'sort=x', 'fieldSelector=%', 'size=1', 'continue=x']),
      ]),
    () => token([1, 5, inner(), '']),
    () => token([2, 5, inner(), 'sort=metadata.name']),
    () => token(random.pick<unknown>([[], {}, null, 'x', [1, 2, 3, 4], [[[[]]]]])),
    () => anyText(random, 30),
    () => '['.repeat(3_000),
    () => Buffer.from('['.repeat(5_000)).toString('base64url'),
    () => '',
  ])()
}
