import { Client } from 'pg'
import { checkBtrees, checkStructure } from './checks/btrees.ts'
import { findFaults } from './checks/check.ts'
import { entryChecks } from './checks/entries.ts'
import { logChecks } from './checks/log.ts'
import { readModels } from './checks/model.ts'
import { orderChecks } from './checks/order.ts'

export interface CheckOptions {
  /** Some rows were put into their tables past the store, so that the log does not know how they began. */
  readonly bulkLoaded?: boolean
}

/**
 * Whether everything in a store's database agrees with everything else: rows, side tables, indexes, change log and its
 * order, for all models of the catalog. Answers what does not, in words. The store may be in use meanwhile.
 */
export async function checkStore(url: string, options: CheckOptions = {}): Promise<readonly string[]> {
  const client = new Client({ connectionString: url, application_name: 'checker' })
  await client.connect()
  try {
    return [...(await checkSnapshot(client, options)), ...(await checkStructure(client))]
  } finally {
    await client.end()
  }
}

/** In one snapshot, so that nothing is compared with what came later. */
async function checkSnapshot(client: Client, { bulkLoaded = false }: CheckOptions): Promise<readonly string[]> {
  const faults: string[] = []
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const cutOff = await isCutOff(client)
  const whole = !bulkLoaded && !cutOff
  for (const model of await readModels(client)) {
    const checks = [...entryChecks(model), ...logChecks(model, whole)]
    const found = [...(await findFaults(client, checks)), ...(await checkBtrees(client, model))]
    faults.push(...found.map((fault) => `${model.group}/${model.plural}: ${fault}`))
  }
  faults.push(...(await findFaults(client, orderChecks({ isCutOff: cutOff }))))
  await client.query('COMMIT')
  return faults
}

/** Whether the oldest changes have been let go. */
async function isCutOff(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ cut: boolean }>('SELECT min(revision) > 1 AS cut FROM change_order')
  return rows[0]?.cut ?? false
}
