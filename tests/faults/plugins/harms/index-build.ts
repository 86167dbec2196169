import { hostilePackage, thingsOf } from '../hostile-package.ts'
import { expectThat, installed, type Harm } from './harm.ts'

const writers = 16
const countOf = (quick: boolean) => (quick ? 1_000 : 5_000)

/** Exits once after half of the objects; a file tells the next process to continue. */
const endingAfter = (items: number) => `(() => {
  let seen = 0
  return (items) => {
    seen += items.length
    if (seen > ${items} && !existsSync('ended')) {
      writeFileSync('ended', '')
      process.exit(9)
    }
    return items.map(() => ({ values: { words: ['common'] } }))
  }
})()`

/** The plugin exits in the middle of an index build over stored objects. */
export const indexBuild: Harm = {
  what: 'an end amid an index build',
  plugin: 'bad-index',
  setUp: async ({ host, quick, name }) => {
    const objects = countOf(quick)
    await installed(host, name, hostilePackage({ name, model: {} }))
    let next = 0
    const create = async () => {
      for (let at = next++; at < objects; at = next++) {
        const { status, text } = await host.ask('POST', thingsOf(name), { metadata: { name: `t-${at}` }, spec: {} })
        expectThat(status === 201, `an object was answered ${status}: ${text}`)
      }
    }
    await Promise.all(Array.from({ length: writers }, create))
    await host.uninstall(name)
  },
  run: async ({ host, quick, name }) => {
    const objects = countOf(quick)
    const model = { indexes: [{ name: 'words', evaluated: 'multi', revision: 1 } as const] }
    const evaluate = endingAfter(objects / 2)
    const answer = await host.install(hostilePackage({ name, version: '2.0.0', model, evaluate }))
    expectThat(answer.ok, `the version with an index was answered ${answer.status}`)
    const began = performance.now()
    const says = /ended with code 9\b/
    await host.untilPlugin(name, ({ status }) => says.test(status?.message ?? ''), 60_000)
    await host.untilPlugin(name, ({ status }) => status?.phase === 'Started', 60_000)
    const built = (performance.now() - began) / 1000
    const { text } = await host.ask('GET', `${thingsOf(name)}?size=1&fieldSelector=words%3Dcommon`)
    const { total } = JSON.parse(text) as { readonly total?: number }
    expectThat(total === objects, `${total} of ${objects} objects are indexed: ${text.slice(0, 300)}`)
    return `BackingOff, then all ${objects} objects were indexed after ${built.toFixed(1)} s`
  },
}
