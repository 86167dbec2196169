import { startLoneHost } from '../../tests/faults/plugins/lone-host.ts'
import { median, quantile } from '../measure/statistics.ts'
import type { Part } from '../measure/part.ts'
import { installStarted, samplePackage } from './sample.ts'

const bar = 1
const warmUps = 50

/** Cost of an evaluation (index values and check) in a create. */
export const evaluation: Part = async ({ quick }) => {
  const creates = quick ? 500 : 3_000
  await using host = await startLoneHost('SQLite')
  await installStarted(host, 'sample', await samplePackage('sample'))
  const took = { plains: [] as number[], askeds: [] as number[] }
  for (let at = 0; at < creates + warmUps; at++) {
    for (const plural of ['plains', 'askeds'] as const) {
      const body = { metadata: { name: `o-${at}` }, spec: { title: `what number ${at} is about`, count: at } }
      const began = performance.now()
      const { status, text } = await host.ask('POST', `/apis/sample.example.com/v1/${plural}`, body)
      if (status !== 201) throw new Error(`a create was answered ${status}: ${text}`)
      if (at >= warmUps) took[plural].push(performance.now() - began)
    }
  }
  const [without, asked] = [median(took.plains), median(took.askeds)]
  const p99Of = (all: readonly number[]) =>
    quantile(
      all.toSorted((one, other) => one - other),
      0.99,
    ).toFixed(2)
  console.log(`\na create takes ${without.toFixed(2)} ms (p99 ${p99Of(took.plains)}) when nobody is asked`)
  console.log(`and ${asked.toFixed(2)} ms (p99 ${p99Of(took.askeds)}) with a function index and a check`)
  const more = asked - without
  const figure = `a function index and a check add ${more.toFixed(2)} ms to a create (p50, bar ${bar})`
  console.log(figure)
  return {
    figure,
    short: more > bar ? [figure] : [],
    result: {
      section: 'custom-api',
      title: 'A function index and a check',
      text: 'A create of a model whose plugin is asked for index values and whether the object is valid, beside one without, on SQLite.',
      facts: [{ what: 'Time that it adds to a create (median)', value: more, unit: 'ms', goal: bar }],
    },
  }
}
