import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createAccounts, type Accounts } from './accounts.ts'

const uidOf = async (accounts: Accounts) => (await accounts.take())?.uid ?? 0
/** Ids are reserved a hundred at a time. */
const rangeOf = (uid: number) => Math.floor(uid / 100)

describe.runIf(createAccounts('auto').isolation === 'uid')('accounts of plugins', () => {
  test('a host gives each plugin another uid, also when they start at the same time', async () => {
    using accounts = createAccounts('uid')
    const uids = await Promise.all(Array.from({ length: 120 }, () => uidOf(accounts)))
    expect(new Set(uids).size).toBe(120)
    expect(new Set(uids.map(rangeOf)).size).toBe(2)
  })

  test('hosts on one machine use different ranges', async () => {
    using one = createAccounts('uid')
    using two = createAccounts('uid')
    expect(rangeOf(await uidOf(one))).not.toBe(rangeOf(await uidOf(two)))
  })

  test('the range of a killed host is free again', async () => {
    const code = `
      import { createAccounts } from ${JSON.stringify(join(import.meta.dirname, 'accounts.ts'))}
      console.log((await createAccounts('uid').take()).uid)
      setInterval(() => {}, 1000)`
    const words = ['--conditions=@pergola/source', '--input-type=module', '-e', code]
    const host = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    const [said] = (await once(host.stdout, 'data')) as [Buffer]
    const range = rangeOf(Number(said.toString()))
    const lowestFree = async () => {
      using accounts = createAccounts('uid')
      return rangeOf(await uidOf(accounts))
    }
    expect(await lowestFree()).not.toBe(range)
    host.kill('SIGKILL')
    await expect.poll(lowestFree).toBeLessThanOrEqual(range)
  })

  test('the uid of a running process is not given to a plugin', async () => {
    using accounts = createAccounts('uid')
    const account = await accounts.take()
    const uid = account?.uid ?? 0
    account?.[Symbol.dispose]()
    const foreign = spawn('sleep', ['60'], { uid, stdio: 'ignore' })
    await once(foreign, 'spawn')
    expect(await uidOf(accounts)).not.toBe(uid)
    foreign.kill('SIGKILL')
  })

  test('root with shared accounts is warned that plugins run as root', () => {
    expect(createAccounts('shared').warning).toMatch(/plugins run as root/)
    expect(createAccounts('uid').warning).toBeUndefined()
  })
})
