import { operationsOn } from '../http/operations.ts'
import { peoplePath } from '../http/people.ts'
import { startPeople } from '../http/people-host.ts'
import { token } from '../http/requests.ts'
import type { Part } from '../measure/part.ts'
import { startReaders } from '../watch/reader-process.ts'
import { createCurves, figureOf } from './curve.ts'

const objects = 2_000

/** CPU of each operation beside ever more watchers, none of which wants the changed objects. */
export const growthOfWatchers: Part = async ({ quick }) => {
  const sizes = quick ? [1, 100, 1_000] : [1, 100, 10_000]
  const limits = { PERGOLA_WATCH_MAX: '20000', PERGOLA_WATCH_MAX_PER_USER: '20000' }
  await using stored = await startPeople(objects, [], limits)
  const { host } = stored
  const url = await host.url()
  const operations = operationsOn(objects)
  const curves = createCurves('watchers')
  using readers = startReaders()
  let open = 0
  for (const size of sizes) {
    const path = `${peoplePath}?fieldSelector=spec.city%3Dnowhere-{n}`
    await readers.open({ url, token, count: size - open, path })
    open = size
    await curves.measure(size, { url, processes: { host: [host.pid] }, operations, quick })
  }
  return {
    figure: `from ${sizes[0]} to ${sizes.at(-1)} watchers, ${figureOf(curves)}`,
    short: curves.grown,
    result: {
      section: 'growth',
      title: 'Growth: watchers',
      text: 'Eight callers, beside ever more watchers of the same model. Each watcher selects other objects, so a change must be kept from all of them.',
      series: curves.series,
    },
  }
}
