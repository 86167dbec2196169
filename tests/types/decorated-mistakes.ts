import { definePlugin, roleTemplate, t, type RouteContext } from '@pergola/plugin-sdk'
import { ApiVersion, Controller, Get, Post, routesOf } from '@pergola/plugin-sdk/decorators'

/*
 * Mistakes in decorated classes that the compiler must reject, with standard and with experimental decorators. This code is
 * never run.
 */

const view = roleTemplate('view', { displayName: 'View' })
const body = t.Object({ url: t.String() })

// @ts-expect-error a version is missing
@ApiVersion('console.api.todo.example.com')
// @ts-expect-error a path that begins with nothing
@Controller('todos', { allow: view })
export class Todos {
  @Get()
  list(): object {
    return {}
  }

  @Get('/:name/owner', { allow: view })
  owner({ params, query, caller }: RouteContext<{ name: string }, { full?: string }, undefined>): object {
    return { name: params.name, full: query.full, caller: caller.name }
  }

  // @ts-expect-error a parameter that the path does not have
  @Get('/:name/owner')
  misspelled({ params }: { readonly params: { readonly nmae: string } }): object {
    return params
  }

  // @ts-expect-error a body that was not declared
  @Post('/-/import')
  undeclared({ body: { url } }: { readonly body: { readonly url: string } }): object {
    return { url }
  }

  // @ts-expect-error a field that the body does not have
  @Post('/-/import', { body })
  field({ body: { uri } }: { readonly body: { readonly uri: string } }): object {
    return { uri }
  }

  // @ts-expect-error another answer than was promised
  @Get('/-/count', { response: t.Object({ count: t.Integer() }) })
  count(): { readonly count: string } {
    return { count: 'many' }
  }

  // @ts-expect-error a template by its name, where the value is wanted
  @Get('/-/names', { allow: 'view' })
  names(): object {
    return {}
  }

  // @ts-expect-error a path that begins with nothing
  @Get('names')
  nowhere(): object {
    return {}
  }
}

// @ts-expect-error no instance could be created
@Controller('/shares')
export class Shares {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

// @ts-expect-error a class, where its routes are wanted
definePlugin({ name: 'todo', console: [Todos] })
// @ts-expect-error the class itself, not an instance
routesOf(new Todos())
