import { apiOf, hostilePackage, thingsOf } from '../hostile-package.ts'
import { expectThat, installed, type Harm } from './harm.ts'

const objects = 20
const harm = (version: number) => `(request, response) => response.end('${version}')`

/** The new version exits while it is being prepared: the current version keeps running. */
export const upgradeCrash: Harm = {
  what: 'an end amid an upgrade',
  plugin: 'bad-upgrade',
  run: async ({ host, name }) => {
    await installed(host, name, hostilePackage({ name, model: {}, apis: { harm: harm(1) } }))
    const model = { indexes: [{ name: 'words', evaluated: 'multi', revision: 1 } as const] }
    for (let at = 0; at < objects; at++) {
      const { status } = await host.ask('POST', thingsOf(name), { metadata: { name: `thing-${at}` }, spec: {} })
      expectThat(status === 201, `an object was answered ${status}`)
    }
    // Exits on the first evaluation of index values, which is before the switch.
    const evaluate = '() => process.exit(3)'
    const next = hostilePackage({ name, version: '2.0.0', model, evaluate, apis: { harm: harm(2) } })
    const answer = await host.install(next)
    expectThat(answer.ok, `the next version was answered ${answer.status}`)
    const failed = await host.untilPlugin(name, ({ status }) => status?.upgrade?.phase === 'Failed', 60_000)
    const why = failed.status?.upgrade?.message ?? ''
    expectThat(
      /ended with code 3\b|failed to compute index values/.test(why),
      `its upgrade failed for another reason: ${why}`,
    )
    const { text } = await host.ask('GET', apiOf(name, 'harm'))
    expectThat(text === '1' && failed.spec.version === '1.0.0', `${failed.spec.version} answers ${text}`)
    expectThat(failed.status?.phase === 'Started', `it is ${failed.status?.phase}`)
    return `the upgrade is Failed, "${why.split('\n', 1).join('')}"; the version before is Started`
  },
}
