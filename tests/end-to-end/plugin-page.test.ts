import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { chromium, startPage } from '../client/page.ts'
import { startHost } from './plugin-host.ts'
import { pluginPackage, todoDefinition } from './plugin-package.ts'

const path = '/apis/console.api.todo.example.com/v1alpha1/page'
const permissions = '/apis/api.platform.run/v1alpha1/users/-/permissions'

/** A plugin page that tries to use the session of the user who opens it. */
const page = `<p>a page of a plugin</p><script>
  fetch(${JSON.stringify(permissions)})
    .then((answer) => answer.json())
    .then(({ roles }) => fetch('/result', { method: 'POST', body: JSON.stringify({ stolen: roles }) }))
</script>`

const plugin = {
  definition: { ...todoDefinition, routes: [{ audience: 'console', method: 'GET', path } as const] },
  answer: `(request, response) => {
    for (const name of ['content-security-policy', 'access-control-allow-origin']) response.setHeader(name, '*')
    response.setHeader('content-type', 'text/html').end(${JSON.stringify(page)})
  }`,
}

/** A page of our own that signs in, and then loads the plugin page with fetch and in a frame. */
const script = (person: object) => `(async () => {
  const send = (path, body) => fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const signedIn = await send('/auth/sessions', ${JSON.stringify(person)})
  const rights = await fetch(${JSON.stringify(permissions)})
  const shown = await fetch(${JSON.stringify(path)})
  const frame = document.createElement('iframe')
  frame.src = ${JSON.stringify(path)}
  const loaded = new Promise((resolve) => (frame.onload = resolve))
  document.documentElement.append(frame)
  await loaded
  // Long enough for a script to send its requests.
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  await send('/result', {
    statuses: [signedIn.status, rights.status, shown.status],
    shown: (await shown.text()).slice(0, 25),
    isOurs: frame.contentDocument !== null,
  })
})()`

test.skipIf(!existsSync(chromium))('a plugin page cannot use the session of the user who opens it', async () => {
  await using browser = await startPage()
  await using host = await startHost('SQLite', undefined, { env: { PERGOLA_SERVER_PUBLIC_URL: browser.origin } })
  await host.install(pluginPackage(plugin))
  await host.phaseIs('todo', { phase: 'Started' })
  browser.serve(host.url, script({ username: 'admin', password: host.password, transport: 'cookie' }))
  const seen = { statuses: [201, 200, 200], shown: '<p>a page of a plugin</p>', isOurs: false }
  expect(await browser.run()).toEqual(seen)
})
