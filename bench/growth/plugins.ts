import { installPackage } from '../../tests/faults/plugins/install-package.ts'
import { operationsOn } from '../http/operations.ts'
import { startPeople } from '../http/people-host.ts'
import { token } from '../http/requests.ts'
import type { Part } from '../measure/part.ts'
import { emptyPackage } from '../plugins/sample.ts'
import { createCurves, figureOf } from './curve.ts'

const objects = 2_000

/** CPU of each operation of a host with ever more plugins, which have nothing to do. Counts only host and database. */
export const growthOfPlugins: Part = async ({ quick }) => {
  const sizes = quick ? [1, 10] : [1, 20, 100]
  await using stored = await startPeople(objects)
  const { host } = stored
  const url = await host.url()
  const operations = operationsOn(objects)
  const curves = createCurves('plugins')
  let installed = 0
  for (const size of sizes) {
    for (; installed < size; installed++) {
      const answer = await installPackage({ url, token }, await emptyPackage(`idle${installed}`))
      if (answer.status !== 201) throw new Error(`the plugin is refused: ${await answer.text()}`)
    }
    await untilStarted(url, size)
    await curves.measure(size, { url, processes: { host: [host.pid] }, operations, quick })
  }
  return {
    figure: `from ${sizes[0]} to ${sizes.at(-1)} plugins, ${figureOf(curves)}`,
    short: curves.grown,
    result: {
      section: 'growth',
      title: 'Growth: plugins',
      text: 'Eight callers of a model of the host, beside ever more plugins that run and have nothing to do.',
      limits:
        'Each plugin is a process that the host asks for its health and figures, and the processes share the caches of the two cores. Fewer questions to plugins that are idle would lift a part of it.',
      series: curves.series,
    },
  }
}

async function untilStarted(url: string, count: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  for (let tries = 0; tries < 1_200; tries++) {
    const answer = await fetch(`${url}/apis/plugin.platform.run/v1alpha1/plugins?size=500`, { headers })
    const { items } = (await answer.json()) as { readonly items: readonly { readonly status?: { phase?: string } }[] }
    if (items.filter(({ status }) => status?.phase === 'Started').length >= count) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${count} plugins are not started after two minutes`)
}
