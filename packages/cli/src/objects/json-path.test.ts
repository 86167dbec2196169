import { describe, expect, test } from 'vitest'
import { jsonPath } from './json-path.ts'

const order = {
  metadata: { name: 'one', labels: { 'example.com/team': 'red' } },
  spec: {
    title: 'Milk',
    tags: ['a', 'b', 'c'],
    lines: [
      { sku: 'x', count: 1 },
      { sku: 'y', count: 3 },
      { sku: "o'z", count: 5, gift: true },
    ],
  },
}

describe('a JSONPath finds', () => {
  test.each([
    ['the object itself', '$', [order]],
    ['a field', '.spec.title', ['Milk']],
    ['a field without a dot in front', 'spec.title', ['Milk']],
    ['a field in braces, as for kubectl', '{.spec.title}', ['Milk']],
    ['a field from the root', '$.spec.title', ['Milk']],
    ['a field with a dot in its name', '.metadata.labels.example\\.com/team', ['red']],
    ['a quoted field', `$['metadata']["labels"]['example.com/team']`, ['red']],
    ['several fields', `.spec.lines[0]['sku','count']`, ['x', 1]],
    ['all items', '.spec.lines[*].sku', ['x', 'y', "o'z"]],
    ['all values', '.metadata.labels.*', ['red']],
    ['an item from the start', '.spec.tags[1]', ['b']],
    ['an item from the end', '.spec.tags[-1]', ['c']],
    ['no item beyond the end', '.spec.tags[7]', []],
    ['a slice', '.spec.tags[1:]', ['b', 'c']],
    ['a slice with an end', '.spec.tags[:-1]', ['a', 'b']],
    ['a field at any depth', '..sku', ['x', 'y', "o'z"]],
    ['items by a number', '.spec.lines[?(@.count > 2)].sku', ['y', "o'z"]],
    ['items by a text', `.spec.lines[?@.sku == 'y'].count`, [3]],
    ['items by an escaped text', `.spec.lines[?(@.sku=='o\\'z')].count`, [5]],
    ['items that are not so', `.spec.lines[?(@.sku!="y")].count`, [1, 5]],
    ['items with a field', '.spec.lines[?(@.gift)].count', [5]],
    ['nothing where there is nothing', '.spec.nothing.below', []],
    ['nothing of the prototype', '.spec.constructor', []],
  ])('%s', (_what, path, found) => expect(jsonPath(path)(order)).toEqual(found))
})

test.each(['.spec[', '.spec[abc]', '.spec..', '.spec[?(@.a ~ 1)]', '.spec]'])('%s is refused', (path) =>
  expect(() => jsonPath(path)).toThrow(/is not a JSONPath/),
)
