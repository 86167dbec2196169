import { expect, test } from 'vitest'
import { freshModel, modelObject, modelsPath, plainIndexes, versionsOf, type Schema } from './models.ts'
import { expectProblem, expectStatus } from './request.ts'
import { onEachEngine } from './server.ts'

const line: Schema = {
  type: 'object',
  properties: {
    sku: { type: 'string' },
    count: { type: 'integer' },
    codes: { type: 'array', items: { type: 'string' } },
    box: { type: 'object', properties: { size: { type: 'integer' } } },
  },
}
const orders = freshModel({
  versions: versionsOf({ city: { type: 'string' }, lines: { type: 'array', items: line } }),
  indexes: plainIndexes('spec.lines[].sku', 'spec.lines[].count', 'spec.lines[].box.size'),
  composites: [],
})
const linesOf = (...lines: readonly (readonly [sku: string, count: number])[]) => ({
  lines: lines.map(([sku, count]) => ({ sku, count, box: { size: count * 10 } })),
})

onEachEngine((api) => {
  test('C13-1 C13-2 fields of the items of an array are indexed, and terms can be met by different items', async () => {
    const collection = await api.model(orders)
    await collection.created({ name: 'both', spec: linesOf(['a', 1], ['b', 2]) })
    await collection.created({ name: 'one', spec: linesOf(['a', 2]) })
    await collection.created({ name: 'none', spec: { lines: [] } })
    const selected = async (fieldSelector: string) => (await collection.names({ fieldSelector })).toSorted()
    expect(await selected('spec.lines[].sku=a')).toEqual(['both', 'one'])
    expect(await selected('spec.lines[].sku=b')).toEqual(['both'])
    expect(await selected('spec.lines[].count>1')).toEqual(['both', 'one'])
    expect(await selected('spec.lines[].box.size=10')).toEqual(['both'])
    // No single item has both.
    expect(await selected('spec.lines[].sku=a,spec.lines[].count=2')).toEqual(['both', 'one'])
    expect(await selected('!spec.lines[].sku')).toEqual(['none'])
    expectStatus(await collection.patch('one', { spec: linesOf(['c', 1]) }), 200)
    expect(await selected('spec.lines[].sku=a')).toEqual(['both'])

    const many = Array.from({ length: 257 }, (_, at) => [`s${at}`, 1] as const)
    const refused = await collection.create({ spec: linesOf(...many) })
    expectProblem(refused, 422, 'Invalid')
    expectProblem(await api.request('GET', `${collection.path}?sort=spec.lines%5B%5D.sku`), 400, 'BadRequest')

    for (const [name, message] of [
      ['spec.lines[].codes[]', 'a path has one []'],
      ['spec.city[]', 'is not an array; remove the []'],
      ['spec.lines[]', 'must be a string, a number or a boolean of each item'],
    ] as const) {
      const spec = freshModel({ versions: orders.versions, indexes: plainIndexes(name), composites: [] })
      const answer = await api.request('POST', modelsPath, { body: modelObject(spec) })
      expectProblem(answer, 422, 'Invalid')
      expect(answer.text).toContain(message)
    }
  })
})
