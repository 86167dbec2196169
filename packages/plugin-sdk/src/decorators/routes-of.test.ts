import { afterEach, describe, expect, test, vi } from 'vitest'
import { DefinitionError, definePlugin, inspect, roleTemplate, t } from '../index.ts'
import type { AnyRoute } from '../route/route.ts'
import { ApiVersion, Controller, Delete, Get, Patch, Post, Put, routesOf } from './index.ts'
import type { EndpointDecorator } from './index.ts'

/*
 * Node.js cannot run decorators, so this test calls them as compiled code does. The conformance tests pack classes as authors
 * write them.
 */
type Decorate = <Decorated>(
  decorator: EndpointDecorator<Decorated>,
  on: { readonly prototype: object },
  name: string,
) => void

const standard: Decorate = (decorator, { prototype }, name) => {
  const context = { kind: 'method', static: false, private: false } as const
  decorator(Reflect.get(prototype, name) as never, context)
}
const experimental: Decorate = (decorator, { prototype }, name) =>
  decorator(prototype, name, Object.getOwnPropertyDescriptor(prototype, name) ?? {})

const api = 'console.api.shop.example.com/v1'
const view = roleTemplate('view', { displayName: 'View' })
const manage = roleTemplate('manage', { displayName: 'Manage' })
const response = t.Object({ name: t.String() })

const call = ({ handler }: AnyRoute, context: object = {}) => handler(context as never)

afterEach(() => void vi.restoreAllMocks())

describe.for([
  ['standard', standard],
  ['experimental', experimental],
] as const)('%s decorators', ([, decorate]) => {
  test('create plain routes below the API version and the path of the class', () => {
    class Reports {
      all() {
        return { name: 'all' }
      }
      find({ params }: { readonly params: { readonly name: string } }) {
        return { name: params.name }
      }
      other() {}
    }
    decorate(Get(), Reports, 'all')
    decorate(Get('/:name', { response, allow: manage }), Reports, 'find')
    Controller('/reports', { allow: view })(Reports)
    ApiVersion(api)(Reports)
    const handler = expect.any(Function) as () => void
    const routes = routesOf(Reports)
    expect(routes).toEqual([
      { method: 'GET', path: `/apis/${api}/reports`, allow: view, stream: false, handler },
      { method: 'GET', path: `/apis/${api}/reports/:name`, allow: manage, response, stream: false, handler },
    ])
    expect(routes.map((one) => call(one, { params: { name: 'may' } }))).toEqual([{ name: 'all' }, { name: 'may' }])
  })

  test('exist for every HTTP method, and a class method may have several', () => {
    class Things {
      save() {}
      remove() {}
    }
    // In the order in which compiled code calls them: from the bottom up.
    for (const one of [Patch('/c', { stream: true }), Put('/b'), Post('/a')]) decorate(one, Things, 'save')
    decorate(Delete('/d'), Things, 'remove')
    ApiVersion(api)(Things)
    expect(routesOf(Things).map(({ method, path, stream }) => `${method} ${path} ${stream}`)).toEqual([
      `POST /apis/${api}/a false`,
      `PUT /apis/${api}/b false`,
      `PATCH /apis/${api}/c true`,
      `DELETE /apis/${api}/d false`,
    ])
  })

  test('a class is instantiated once, on its first request', () => {
    let made = 0
    class Counting {
      calls = 0
      constructor() {
        made++
      }
      get asked(): number {
        throw new Error('a getter was called')
      }
      count() {
        return ++this.calls
      }
      again() {
        return ++this.calls
      }
    }
    decorate(Get('/count'), Counting, 'count')
    decorate(Get('/again'), Counting, 'again')
    ApiVersion(api)(Counting)
    const routes = routesOf(Counting)
    inspect(definePlugin({ name: 'shop', api: 'shop.example.com/v1', console: routes }))
    expect(made).toBe(0)
    expect([...routes, ...routes].map((one) => call(one))).toEqual([1, 2, 3, 4])
    expect(made).toBe(1)
  })
})

test('a class without an API version is ignored, with one warning that names it and the decorator to add', () => {
  const said = vi.spyOn(console, 'warn').mockReturnValue()
  class Named {
    find() {}
  }
  class Forgotten extends Named {
    override find() {}
  }
  for (const one of [Named, Forgotten]) {
    standard(Get('/a'), one, 'find')
    Controller('/named')(one)
  }
  ApiVersion(api)(Named)
  expect(routesOf(Forgotten, Named).map(({ path }) => path)).toEqual([`/apis/${api}/named/a`])
  expect(said.mock.calls).toEqual([
    [
      `the controller class Forgotten has no API version and is ignored; write @ApiVersion('<group>/<version>') above it`,
    ],
  ])
})

test.for([
  ['uc.api.shop.example.com/v1', 'of another audience'],
  ['console.api.other.example.com/v1', 'of another plugin'],
  ['shop.example.com/v1', 'of the models'],
  ['console.api.shop.example.com/first', 'without a valid version'],
] as const)('the API version %s, %s, is rejected', ([apiVersion]) => {
  class Reports {
    find() {}
  }
  standard(Get('/:name'), Reports, 'find')
  Controller('/reports')(Reports)
  ApiVersion(apiVersion)(Reports)
  const plugin = definePlugin({ name: 'shop', api: 'shop.example.com/v1', console: routesOf(Reports) })
  expect(() => inspect(plugin)).toThrow(DefinitionError)
})
