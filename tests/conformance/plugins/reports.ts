import { definePlugin, roleTemplate, t, type Infer, type RouteContext } from '@pergola/plugin-sdk'
import { ApiVersion, Controller, Delete, Get, Post, routesOf } from '@pergola/plugin-sdk/decorators'

const Report = t.Object({ title: t.String({ minLength: 1 }) })
const Filed = t.Object({ name: t.String(), title: t.String(), by: t.String() })
const read = roleTemplate('read', { displayName: 'Read reports' })
const publish = roleTemplate('publish', { displayName: 'Publish reports' })

type Named = Pick<RouteContext<{ readonly name: string }, unknown, Infer<typeof Report>>, 'params' | 'body' | 'caller'>

@ApiVersion('console.api.reports.example.com/v1alpha1')
@Controller('/reports', { allow: read })
class Reports {
  readonly #titles = new Map<string, string>()

  @Get()
  list() {
    return { names: [...this.#titles.keys()] }
  }

  @Get('/:name/pages/:page')
  page({ params }: { readonly params: { readonly name: string; readonly page: string } }) {
    return params
  }

  @Post('/:name/filings', { allow: publish, body: Report, response: Filed })
  async file({ params: { name }, body: { title }, caller }: Named) {
    this.#titles.set(name, title)
    return { name, title, by: caller.name ?? 'nobody' }
  }

  @Delete('/:name')
  remove({ params }: Pick<Named, 'params'>) {
    this.#titles.delete(params.name)
  }
}

@Controller('/drafts')
class Drafts {
  @Get()
  list() {
    return { names: [] }
  }
}

// oxlint-disable-next-line import/no-default-export -- a plugin is the default export of its entry
export default definePlugin({
  name: 'reports',
  api: 'reports.example.com/v1alpha1',
  roles: [read, publish],
  console: routesOf(Reports, Drafts),
})
