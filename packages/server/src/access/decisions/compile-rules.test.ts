import { requestInfo, type RequestInfo, type Rule } from '@pergola/api'
import { describe, expect, test } from 'vitest'
import { compileRules } from './compile-rules.ts'

const words = (word: string) => Array.from({ length: 1_000 }, (_, at) => `${word}-${at}`)
const huge: Rule = { apiGroups: words('g'), resources: words('r'), resourceNames: words('n'), verbs: ['get'] }
const small: Rule = { apiGroups: ['g-1'], resources: ['r-1', 'r-2'], verbs: ['get', 'list'] }
const paths: Rule = { nonResourceURLs: ['/a', '/b/*'], verbs: ['get'] }

const definition = { name: 'role', rules: [], dependencies: [], aggregatesTo: [], uiPermissions: [] }
const compile = (rules: readonly Rule[], maxCells: number) =>
  compileRules(
    rules.map((rule, index) => ({ rule, index, reached: { definition } })),
    { pluginOf: () => undefined, maxCells },
  )
const get = (target: string): RequestInfo => requestInfo({ method: 'GET', target, headers: {} })

describe('compiled rules', () => {
  test('use one cell per combination of group, resource and name, and one per path', () => {
    expect(compile([small, paths], 1_000).cells).toBe(4)
    expect(compile([{ ...small, resourceNames: ['x', 'y', 'z'] }], 1_000).cells).toBe(6)
  })

  test('stay within the cell limit; wider rules are matched one by one', () => {
    const compiled = compile([huge, small, paths], 1_000)
    expect(compiled.cells).toBe(4)
    expect(compiled.find(get('/apis/g-999/v1/r-999/n-999'))?.index).toBe(0)
    expect(compiled.find(get('/apis/g-999/v1/r-999/n-1000'))).toBeUndefined()
    expect(compiled.find(get('/apis/g-1/v1/r-2/n-1000'))?.index).toBe(1)
    expect(compiled.find(get('/b/x'))?.index).toBe(2)
  })

  test('apply the limit to the cells of all rules together', () => {
    expect(compile([small, small, paths], 3).cells).toBe(2)
    expect(compile([small, small, paths], 5).cells).toBe(4)
  })

  test('find the first matching rule, compiled or not', () => {
    const request = get('/apis/g-1/v1/r-1/n-1')
    expect(compile([huge, small], 1_000).find(request)?.index).toBe(0)
    expect(compile([small, huge], 1_000).find(request)?.index).toBe(0)
    expect(compile([small, small], 2).find(request)?.index).toBe(0)
  })
})
