import type { Configuration } from '../config/read-configuration.ts'
import { keyIdsOfLease, keyLeases } from '../models/secrets/secret-keys.ts'
import { inSchema } from '../store/postgres/connection/in-schema.ts'
import { leaseNames } from '../store/postgres/examine.ts'
import type { Check, Finding } from './finding.ts'

/** The keys of this configuration, compared with those of running servers; SQLite has only one server. */
export function keyCheck({ config, keys, file }: Configuration): Check {
  const { url } = inSchema(config.database)
  const own = keys.map(({ id }) => id)
  const list = `pergola secrets keys${file === undefined ? '' : ` --config ${file}`}`
  return {
    name: 'keys',
    run: async (signal) => {
      const running = url.startsWith('sqlite:') ? [] : await leaseNames(url, keyLeases, signal).catch(() => [])
      return keyFindings(own, running.map(keyIdsOfLease), list)
    },
  }
}

export function keyFindings(
  own: readonly string[],
  running: readonly (readonly string[])[],
  list: string,
): readonly Finding[] {
  const name = 'keys'
  const [first] = own
  if (first === undefined) {
    const advice = '(umask 077; openssl rand -base64 32 > sealing-key)  and set secrets.keys to [{ file: sealing-key }]'
    return [{ level: 'warn', name, words: 'there are none, so secrets cannot be stored', advice }]
  }
  const without = running.filter((keys) => !keys.includes(first)).length
  const advice = `add it to their secrets.keys and restart them; ${list}  prints the ids of keys`
  if (without > 0) {
    const words = `${without} of ${running.length} running servers do not have the first key, ${first}`
    return [{ level: 'failed', name, words, advice }]
  }
  const foreign = [...new Set(running.flat())].filter((id) => !own.includes(id))
  if (foreign.length > 0) {
    const words = `running servers have ${foreign.join(', ')}, which this configuration lacks (keys here: ${own.join(', ')})`
    return [{ level: 'warn', name, words, advice: `add it to secrets.keys while secrets need it; ${list}  prints ids` }]
  }
  return [{ level: 'ok', name, words: `${own.join(', ')}${running.length > 0 ? ', as in running servers' : ''}` }]
}
