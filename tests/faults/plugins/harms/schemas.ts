import type { JsonSchema } from '@pergola/api'
import { hostilePackage, thingsOf } from '../hostile-package.ts'
import { expectThat, installed, type Harm } from './harm.ts'

const text = { type: 'string' }
/** One more than the limit of each. */
const deep = Array.from({ length: 500 }).reduce<JsonSchema>(
  (inner) => ({ type: 'object', properties: { a: inner } }),
  text,
)
const wide = {
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`p${at}`, text])),
}
/** Patterns with catastrophic backtracking. */
const patient = { type: 'object', properties: { title: { type: 'string', pattern: '^(a+)+(b|a)*c$' } } }
const mostAnswerMs = 2_000

export const schemas: readonly Harm[] = [
  refused('a schema 500 levels deep', 'bad-deep', deep),
  refused('a schema of 5000 parts', 'bad-wide', wide),
  {
    what: 'a pattern that takes ages',
    plugin: 'bad-pattern',
    run: async ({ host, name }) => {
      await installed(host, name, hostilePackage({ name, model: {}, spec: patient }))
      const began = performance.now()
      const body = { metadata: { name: 'slow' }, spec: { title: 'a'.repeat(50_000) } }
      const { status } = await host.ask('POST', thingsOf(name), body)
      const tookMs = performance.now() - began
      expectThat(status === 422, `an object that does not fit was answered ${status}`)
      expectThat(tookMs < mostAnswerMs, `an object was looked at for ${tookMs.toFixed(0)} ms`)
      return `an object that does not fit was refused in ${tookMs.toFixed(0)} ms`
    },
  },
]

/** Rejected at once, or reported in its status. */
function refused(what: string, plugin: string, spec: JsonSchema): Harm {
  return {
    what,
    plugin,
    run: async ({ host, name }) => {
      const answer = await host.install(hostilePackage({ name, model: {}, spec }))
      if (!answer.ok) {
        const said = await answer.text()
        expectThat(answer.status === 422, `its package was answered ${answer.status}: ${said}`)
        return 'refused with 422'
      }
      const { status } = await host.untilPlugin(name, (seen) => seen.status?.message !== undefined)
      expectThat(status?.phase === 'Failed', `it is ${status?.phase}, ${status?.reason}: ${status?.message}`)
      return `Failed, "${status?.message?.split('\n', 1).join('').slice(0, 80)}"`
    },
  }
}
