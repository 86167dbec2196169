import { Client } from 'pg'
import { checkBtrees, checkStructure } from './checks/btrees.ts'
import { findFaults } from './checks/check.ts'
import { entryChecks } from './checks/entries.ts'
import { logChecks } from './checks/log.ts'
import { readModels } from './checks/model.ts'
import { orderChecks } from './checks/order.ts'

export interface CheckOptions {
  /** Some rows were inserted without the store, so the log does not contain their creation. */
  readonly bulkLoaded?: boolean
}

/**
 * Checks the consistency of a store's database: rows, side tables, indexes, change log and its
 * order, for all models of the catalog. Returns descriptions of the faults. The store may be in use.
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

/** Uses one snapshot, so that nothing is compared with later changes. */
async function checkSnapshot(client: Client, { bulkLoaded = false }: CheckOptions): Promise<readonly string[]> {
  const faults: string[] = []
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  // Before the snapshot is taken: a truncation would empty them for it, too.
  await client.query('LOCK TABLE pending_changes, sequencer IN ACCESS SHARE MODE')
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

/** Whether old changes have been deleted. */
async function isCutOff(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ cut: boolean }>('SELECT min(revision) > 1 AS cut FROM change_order')
  return rows[0]?.cut ?? false
}
