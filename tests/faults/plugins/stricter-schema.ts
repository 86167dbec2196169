import type { JsonSchema, ModelDeclaration } from '@pergola/api'
import type { Trial, TrialResult } from '../store/trial.ts'
import { expectThat, installed } from './harms/harm.ts'
import { hostilePackage, thingsOf } from './hostile-package.ts'
import { loneHostEngines, startLoneHost, type LoneHost } from './lone-host.ts'

const name = 'strict'
const things = thingsOf(name)
const lanes = 16
const pageSize = 500
const upgradeMs = 120_000
/** Maximum length in the next version; every second object exceeds it. */
const mostLetters = 10
const short = 'short'
const long = 'longer than it may be later'

/** An upgrade to a schema that half of the objects violate, and the rollback. */
export const stricterSchema: Trial = {
  name: 'a stricter schema',
  run: async ({ quick }): Promise<TrialResult> => {
    const count = quick ? 1_000 : 10_000
    const figures: string[] = []
    const faults: string[] = []
    for (const engine of quick ? loneHostEngines.slice(0, 1) : loneHostEngines) {
      try {
        figures.push(`${engine}: ${await onEngine(engine, count)}`)
      } catch (error) {
        faults.push(`${engine}: ${(error as Error).message}`)
      }
    }
    return { figures: figures.join('; '), faults }
  },
}

async function onEngine(engine: (typeof loneHostEngines)[number], count: number): Promise<string> {
  await using host = await startLoneHost(engine)
  await installed(host, name, packageOf('1.0.0', { type: 'string' }))
  const names = Array.from({ length: count }, (_, at) => `thing-${at}`)
  const nonConforming = names.filter((_, at) => at % 2 === 1)
  await each(names, async (thing, at) => {
    const body = { metadata: { name: thing }, spec: { title: at % 2 === 1 ? long : short } }
    await expectAnswer(host, ['POST', things, body], 201)
  })
  const began = performance.now()
  await takeTo(host, '2.0.0', () =>
    host.install(packageOf('2.0.0', { type: 'string', maxLength: mostLetters }, [{ name: 'spec.title' }])),
  )
  const upgradeSeconds = (performance.now() - began) / 1000
  await expectReadable(host, count)
  const change = (thing: string, title: string) => ['PATCH', `${things}/${thing}`, { spec: { title } }] as const
  const [first = ''] = nonConforming
  await expectAnswer(host, change(first, `${long} still`), 422)
  await each(nonConforming, (thing) =>
    expectAnswer(host, ['PATCH', `${things}/${thing}/status`, { status: { seen: 1 } }], 200),
  )
  await takeTo(host, '1.0.0', () =>
    host.ask('POST', `/apis/console.api.platform.run/v1alpha1/plugins/${name}/rollback`),
  )
  await expectReadable(host, count)
  await each(nonConforming, (thing) => expectAnswer(host, change(thing, `${long}, and changed`), 200))
  return [
    `${count} objects, ${nonConforming.length} of them do not conform`,
    `upgraded in ${upgradeSeconds.toFixed(1)} s, all readable, every status written, and after the way back every spec`,
  ].join(', ')
}

function packageOf(version: string, title: JsonSchema, indexes: ModelDeclaration['indexes'] = []): Buffer {
  const properties = {
    spec: { type: 'object', properties: { title } },
    status: { type: 'object', properties: { seen: { type: 'integer' } } },
  }
  const model = { statusSubresource: true, indexes, versions: [{ name: 'v1alpha1', schema: { properties } }] }
  return hostilePackage({ name, version, model })
}

async function takeTo(host: LoneHost, version: string, ask: () => Promise<{ readonly status: number }>): Promise<void> {
  const { status } = await ask()
  expectThat(status === 200, `going to ${version} was answered ${status}`)
  await host.untilPlugin(name, (seen) => seen.spec.version === version && seen.status?.phase === 'Started', upgradeMs)
}

/** Reads the list page by page, each object once. */
async function expectReadable(host: LoneHost, count: number): Promise<void> {
  const seen = new Set<string>()
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const { status, text } = await host.ask(
      'GET',
      `${things}?${cursor === '' ? `size=${pageSize}` : `continue=${cursor}`}`,
    )
    expectThat(status === 200, `a page was answered ${status} ${text}`)
    const page = JSON.parse(text) as {
      readonly items: readonly { readonly metadata: { readonly name: string } }[]
      readonly continue?: string
    }
    for (const { metadata } of page.items) seen.add(metadata.name)
    cursor = page.continue
  }
  expectThat(seen.size === count, `${seen.size} of ${count} objects can be listed`)
}

async function expectAnswer(host: LoneHost, asked: readonly [string, string, unknown], wanted: number): Promise<void> {
  const { status, text } = await host.ask(...asked)
  expectThat(status === wanted, `${asked[0]} ${asked[1]} was answered ${status}, not ${wanted}: ${text.slice(0, 300)}`)
}

async function each<Item>(items: readonly Item[], work: (item: Item, at: number) => Promise<void>): Promise<void> {
  const left = items.entries()
  const lane = async () => {
    for (const [at, item] of left) await work(item, at)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
