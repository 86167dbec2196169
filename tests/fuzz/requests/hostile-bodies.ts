import type { Random } from '../random.ts'
import { anyJson, anyText } from '../schema-values.ts'
import { isOwn, known, write, type Shot, type World } from '../shot.ts'

/** Bodies that are not JSON, not an object, or excessively large. */
export function hostileBody(world: World): Shot {
  const { random } = world
  const model = random.pick(world.models)
  const object = known(world, model)
  const name = world.freshName()
  const large = random.chance(0.1)
  const [what, make] = random.pick(large ? largeBodies : bodies)
  const body = make(random, object && random.chance(0.5) ? object.name : name)
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body)
  const isUpdate = object !== undefined && isOwn(model) && random.chance(0.5)
  const line = isUpdate
    ? write(random.pick(['PUT', 'PATCH']), `${model.path}/${object.name}`, bytes, {
        ...(random.chance(0.5) && { 'content-type': 'application/merge-patch+json' }),
      })
    : write('POST', model.path, bytes)
  return { kind: 'hostile', what: `body: ${what}`, expected: refused.has(what) ? 'refused' : 'any', line }
}

type Bodies = readonly (readonly [string, (random: Random, name: string) => string | Buffer])[]

/** Wraps contents that some model may accept. */
function wrapped(name: string, spec: string, metadata = ''): string {
  return `{"metadata":{"name":"${name}"${metadata}},"spec":${spec}}`
}

const refused = new Set([
  'nothing', 'no JSON', 'no UTF-8', 'byte order mark', 'deep', 'half a character', 'a key twice', '__proto__', 'huge number',
  'more than a megabyte', 'no object',
]) // prettier-ignore

const keys = ['constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', '$ref', '$defs', '']

const bodies: Bodies = [
  ['nothing', () => ''],
  ['no JSON', (random) => random.pick(['{', '}', '{"a":}', 'undefined', "{'a':1}", '{"a":1,}', '[1', 'NaN', '\0', '// x', '{"a":01}'])],
  ['no object', (random) => random.pick(['[]', '1', '"x"', 'true', '[{}]'])],
  ['no UTF-8', (_, name) => Buffer.concat([Buffer.from(`{"metadata":{"name":"${name}`), Buffer.from([0xff, 0xc0]), Buffer.from('"}}')])],
  ['byte order mark', (_, name) => `\ufeff${wrapped(name, '{}')}`],
  ['deep', (random, name) => {
    const depth = random.pick([65, 200, 5_000, 50_000])
    return wrapped(name, `${'['.repeat(depth)}${']'.repeat(depth)}`)
  }],
  ['deep object', (random, name) => {
    const depth = random.pick([30, 60, 62])
    return wrapped(name, `{"author":"a","anything":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`)
  }],
  ['huge number', (random, name) => wrapped(name, `{"count":${random.pick(['1e999', '9'.repeat(400), '-1e400', '9007199254740993', '0.1000000000000000055511151231257827'])}}`)],
  ['odd number', (random, name) => wrapped(name, `{"title":"t","weight":${random.pick(['-0', '1e-400', '0e99999', '1E2', '5e-324', '-0.0'])}}`)],
  ['__proto__', (random, name) => wrapped(name, random.pick(['{"__proto__":{"a":1}}', '{"author":"a","anything":{"\\u005f_proto__":1}}']))],
  ['inherited key', (random, name) => wrapped(name, `{"author":"a","title":"t","anything":{"${random.pick(keys)}":{"a":1}},"${random.pick(keys)}":1}`)],
  ['inherited label', (random, name) => wrapped(name, '{"text":"t"}', `,"labels":{"${random.pick(keys)}":"x"},"annotations":{"${random.pick(keys)}":"x"}`)],
  ['inherited field', (random, name) => `{"metadata":{"name":"${name}"},"spec":{"text":"t"},"${random.pick(keys)}":{}}`],
  ['half a character', (random, name) => wrapped(name, `{"text":"${random.pick([String.raw`\ud800`, String.raw`\udc00x`, String.raw`\uD83D`])}"}`)],
  ['half a key', (_, name) => wrapped(name, String.raw`{"author":"a","anything":{"\ud800":1}}`)],
  ['NUL', (_, name) => wrapped(name, String.raw`{"title":"a\u0000b","author":"a\u0000","text":"\u0000"}`)],
  ['a key twice', (_, name) => wrapped(name, String.raw`{"text":"a","te\u0078t":"b"}`)],
  ['odd name', (random) => wrapped(random.pick(['ä', '😀', '../x', 'a%2fb', ' ', '-a', 'a-', 'A', 'a'.repeat(253), '.', '-', 'a.b', 'status', '0']), '{"text":"t"}')],
  ['generated name', (random) => `{"metadata":{"generateName":${random.pick(['""', '"a"', '"A"', '5', 'null', '"-"', `"${'a'.repeat(250)}"`, '"ä"'])}},"spec":{"text":"x"}}`],
  ['owned metadata', (random, name) => wrapped(name, '{"text":"t"}', `,"uid":${JSON.stringify(anyJson(random, 2))},"generation":${JSON.stringify(anyJson(random, 1))},"deletionTimestamp":"x","creationTimestamp":[]`)],
  ['anything', (random) => JSON.stringify(anyJson(random, 6))],
  ['anything in it', (random, name) => `{"metadata":{"name":"${name}","labels":${JSON.stringify(anyJson(random, 2))}},"spec":${JSON.stringify(anyJson(random, 5))},"status":${JSON.stringify(anyJson(random, 3))}}`],
  ['odd type', (random, name) => `{"apiVersion":${JSON.stringify(anyJson(random, 2))},"kind":${JSON.stringify(anyJson(random, 2))},"metadata":{"name":"${name}"}}`],
  ['spaces', (_, name) => `${' '.repeat(10_000)}${wrapped(name, '{"text":"t"}')}${'\n'.repeat(10_000)}`],
  ['odd text', (random, name) => wrapped(name, JSON.stringify({ text: anyText(random, 50), title: anyText(random, 90), author: anyText(random, 50) }))],
] // prettier-ignore

const mebi = 1024 * 1024

const largeBodies: Bodies = [
  ['more than a megabyte', (_, name) => wrapped(name, `{"text":"${'x'.repeat(mebi)}"}`)],
  ['a megabyte of text', (_, name) => wrapped(name, `{"author":"a","anything":{"a":"${'x'.repeat(mebi - 500)}"}}`)],
  ['many keys', (_, name) => wrapped(name, `{"author":"a","anything":{${Array.from({ length: 40_000 }, (__, at) => `"k${at}":1`).join()}}}`)],
  ['many wrong items', (_, name) => wrapped(name, `{"title":"t","tags":[${'1,'.repeat(200_000)}1]}`)],
  ['many unknown fields', (_, name) => wrapped(name, `{${Array.from({ length: 40_000 }, (__, at) => `"k${at}":1`).join()}}`)],
  ['many long keys', (_, name) => wrapped(name, `{"author":"a","anything":{"${'k'.repeat(500_000)}":{"a":1e999}}}`)],
  ['many labels', (_, name) => wrapped(name, '{}', `,"labels":{${Array.from({ length: 30_000 }, (__, at) => `"k${at}":"v"`).join()}}`)],
  ['many finalizers', (_, name) => wrapped(name, '{}', `,"finalizers":[${Array.from({ length: 30_000 }, (__, at) => `"a.b/c${at}"`).join()}]`)],
  ['many equal items', (_, name) => wrapped(name, `{"title":"t","set":[${'1,'.repeat(100_000)}1]}`)],
  ['a long tree', (_, name) => wrapped(name, `{"form":{"radius":1},"tree":${'{"value":1,"children":['.repeat(25)}${']}'.repeat(25)}}`)],
  ['a wide tree', (_, name) => wrapped(name, `{"form":{"radius":1},"tree":{"value":1,"children":[${'{"value":1,"children":[]},'.repeat(20_000)}{"value":1}]}}`)],
  ['many spaces', (_, name) => `${' '.repeat(mebi - 2_000)}${wrapped(name, '{"text":"t"}')}`],
  ['many escapes', (_, name) => wrapped(name, `{"author":"a","anything":{"a":"${String.raw`\u0041`.repeat(150_000)}"}}`)],
  ['a long number', (_, name) => wrapped(name, `{"author":"a","anything":{"a":${'1'.repeat(500_000)}.0}}`)],
] // prettier-ignore
