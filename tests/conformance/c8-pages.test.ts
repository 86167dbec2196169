import { expect, test } from 'vitest'
import { pluginPackage } from '../end-to-end/plugin-package.ts'
import { another, enable, installPackage, packages, phaseIs } from './plugin.ts'
import { person } from './people.ts'
import { expectProblem, expectStatus } from './request.ts'
import { once, onEachEngine } from './server.ts'

const pages = [
  { path: '', title: 'First', permissions: ['plugin:paged:view'] },
  { path: 'boards/:name', title: 'Board', inMenu: false },
]

/** A plugin with pages for the console. */
const paged = pluginPackage({
  definition: another('paged', { pages }),
  ui: 'ui/index.js',
  files: {
    'ui/index.js': 'export default { pages: [] }',
    'ui/about.html': '<p>no page of the host</p>',
    'secret.js': '1',
  },
})
const gzip = { 'content-type': 'application/gzip' }

onEachEngine((api) => {
  const installed = once(async () => {
    expectStatus(await installPackage(api, paged), 201)
    await phaseIs(api, { phase: 'Started' }, 'paged')
  })
  const listed = async () => {
    const { body } = await api.request('GET', '/plugins/pages.json')
    const { items } = body as { readonly items: readonly { readonly name: string; readonly module: string }[] }
    return items.find(({ name }) => name === 'paged')?.module
  }

  test('C8-370 the console is public, and its policy allows no other origins and no framing', async () => {
    for (const path of ['/console', '/console/', '/console/users/ann']) {
      const page = await api.request('GET', path, { as: 'anonymous' })
      expectStatus(page, 200)
      expect(page.text).toContain('<div id="console">')
      const policy = String(page.headers['content-security-policy'])
      expect(policy).toMatch(
        /^default-src 'none'; script-src [\d.]+:\d+\/console\/ [\d.]+:\d+\/plugins\/ 'sha256-[\w+/=]+';/,
      )
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
      expect(page.headers['x-content-type-options']).toBe('nosniff')
    }
    const { text } = await api.request('GET', '/console', { as: 'anonymous' })
    const [, script = ''] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(text) ?? []
    const file = await api.request('GET', script, { as: 'anonymous' })
    expectStatus(file, 200)
    expect(file.headers).toMatchObject({ 'content-type': expect.stringContaining('text/javascript') as string })
    for (const missing of ['/console/assets/none.js', '/console/manifest.json.map']) {
      expectProblem(await api.request('GET', missing, { as: 'anonymous' }), 404, 'NotFound')
    }
  })

  test('C8-506 a browser at a page of the console with a slash at its end is redirected to the page', async () => {
    const at = (path: string, accept: string) => api.request('GET', path, { as: 'anonymous', headers: { accept } })
    const page = await at('/console/p/paged/?tab=a', 'text/html')
    expectStatus(page, 303)
    expect(page.headers['location']).toBe('/console/p/paged?tab=a')
    for (const path of ['/console/p/paged//', '//console/p/', '/consoles/p/', '/apis/']) {
      expectProblem(await at(path, 'text/html'), 400, 'BadRequest')
    }
    expectProblem(await at('/console/p/paged/', 'application/json'), 400, 'BadRequest')
  })

  test('C8-371 GET /auth/setup tells everybody whether setup is needed and who is signed in', async () => {
    const stranger = await api.request('GET', '/auth/setup', { as: 'anonymous' })
    expectStatus(stranger, 200)
    expect(stranger.body).toEqual({ needed: false })
    const ann = await person(api)
    expect((await ann.request('GET', '/auth/setup')).body).toEqual({ needed: false, username: ann.name })
  })

  test('C8-372 a package with pages requires the approval console-code', async () => {
    await installed()
    const other = pluginPackage({
      definition: another('unapproved'),
      ui: 'ui/index.js',
      files: { 'ui/index.js': 'export default { pages: [] }' },
    })
    const plan = await api.request('POST', `${packages}?plan=true`, { body: other, headers: gzip })
    expect(plan.body).toMatchObject({ approvals: ['console-code'] })
    expectProblem(await api.request('POST', packages, { body: other, headers: gzip }), 422, 'Invalid')
  })

  test('C8-373 only signed-in users can list and load the pages of a plugin', async () => {
    await installed()
    const module = await listed()
    expect(module).toMatch(/^\/plugins\/paged\/[0-9a-f]{12}\/index\.js$/)
    const ann = await person(api)
    const file = await ann.request('GET', module ?? '')
    expectStatus(file, 200)
    expect(file.text).toBe('export default { pages: [] }')
    expect(file.headers).toMatchObject({
      'content-type': expect.stringContaining('text/javascript') as string,
      'cache-control': expect.stringContaining('immutable') as string,
    })
    for (const path of ['/plugins/pages.json', module ?? '']) {
      expectProblem(await api.request('GET', path, { as: 'anonymous' }), 401, 'Unauthenticated')
    }
  })

  test('C8-374 no other file of the package is served, and no page of a disabled plugin', async () => {
    await installed()
    const module = (await listed()) ?? ''
    const folder = module.slice(0, module.lastIndexOf('/'))
    const others = ['plugin.js', 'plugin.json', 'secret.js', 'about.html', '%2e%2e%2fplugin.js', 'ui/index.js']
    for (const file of others) {
      expect((await api.request('GET', `${folder}/${file}`)).status, file).toBeGreaterThanOrEqual(400)
    }
    expectProblem(await api.request('GET', '/plugins/paged/000000000000/index.js'), 404, 'NotFound')
    await enable(api, 'paged', false)
    expect(await listed()).toBeUndefined()
    expectProblem(await api.request('GET', module), 404, 'NotFound')
    await enable(api, 'paged')
    expectStatus(await api.request('GET', module), 200)
  })

  test('C8-393 the pages of a plugin are listed from its package, and invalid ones are 422', async () => {
    await installed()
    const { body } = await api.request('GET', '/plugins/pages.json')
    expect((body as { items: readonly object[] }).items).toContainEqual(
      expect.objectContaining({ name: 'paged', pages }),
    )
    const refused = [
      { path: '/slash', title: 'A' },
      { path: 'a/../b', title: 'A' },
      { path: 'a' },
      { path: 'a', title: 'A', permissions: 'x' },
    ]
    for (const page of refused) {
      const definition = another('mispaged', { pages: [page as never] })
      const files = { 'ui/index.js': 'export default {}' }
      expectProblem(await installPackage(api, pluginPackage({ definition, ui: 'ui/index.js', files })), 422, 'Invalid')
    }
  })

  test('C8-408 what the author says about a plugin is in the plan and in the plugin object, with the logo', async () => {
    const about = {
      description: 'Lends books',
      author: 'Ann <ann@example.com>',
      license: 'MIT',
      homepage: 'https://example.com/lending',
      logo: 'logo.svg',
    }
    const files = { 'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>' }
    const body = pluginPackage({ definition: another('lending'), about, files })
    const plan = await api.request('POST', `${packages}?plan=true`, { body, headers: gzip })
    expect(plan.body).toMatchObject({ plugin: { name: 'lending', ...about, size: body.length } })
    const installing = await installPackage(api, body)
    expectStatus(installing, 201)
    expect(installing.body).toMatchObject({ spec: about })
    const { digest } = (installing.body as { readonly spec: { readonly digest: string } }).spec
    const logo = `/plugins/lending/${digest.slice(digest.indexOf(':') + 1).slice(0, 12)}/logo.svg`
    await expect.poll(async () => (await api.request('GET', logo)).text).toBe(files['logo.svg'])
    const { headers } = await api.request('GET', logo)
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': expect.stringContaining('sandbox') as string,
    })
    expectStatus(await api.request('GET', logo, { as: 'anonymous' }), 401)
    for (const wrong of [{ homepage: 'javascript:alert(1)' }, { logo: 'plugin.js' }, { logo: 'none.png' }]) {
      const refused = pluginPackage({ definition: another('lending'), about: wrong })
      expectProblem(
        await api.request('POST', `${packages}?plan=true`, { body: refused, headers: gzip }),
        422,
        'Invalid',
      )
    }
  })
})
