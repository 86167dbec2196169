import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isApiError } from '@pergola/api'
import type { Pool } from 'pg'
import { isSettled, keyOf, type ModelTable } from '../../model-table.ts'
import { StaleModel } from '../../stale-model.ts'
import type { BuildOptions, Lease, ModelKey } from '../../store.ts'
import { settled } from '../../table-change.ts'
import { saveProgress } from './build-progress.ts'
import { lockTable, orStaleModel, replaceChecks, saveTable, type Catalog } from '../catalog.ts'
import { fillIndexes } from './fill-indexes.ts'
import { acquireLease, holdFence, releaseLease } from '../leases.ts'
import { orderIndexes, run } from './order-indexes.ts'
import { targetsOf } from '../references.ts'
import { discardSql } from '../table-sql.ts'
import { inTransaction } from '../write/transaction.ts'

/** Another replica continues this long after the building replica has died. */
const leaseMs = 15_000
/** Polling interval of replicas that wait for the building one. */
const waitMs = 250

export interface BuildParts {
  readonly pool: Pool
  readonly catalog: Catalog
  /** The id of this replica. */
  readonly replica: string | undefined
}

/** One replica builds at a time, under a lease that fences every step; the others wait until it is done or gone. */
export async function buildIndexes(parts: BuildParts, model: ModelKey, options: BuildOptions): Promise<void> {
  const { catalog } = parts
  const holder = randomUUID()
  for (;;) {
    options.signal?.throwIfAborted()
    const { table } = await catalog.refresh(model)
    if (isSettled(table)) return
    if (options.edition !== undefined && options.edition !== table.edition) throw new StaleModel(model)
    const lease = await acquireLease(parts, `index build ${keyOf(model)}`, { holder, ttlMs: leaseMs })
    if (!lease) await sleep(waitMs, undefined, options)
    else await buildUnderLease(parts, { table, lease, holder }, options)
  }
}

interface Turn {
  readonly table: ModelTable
  readonly lease: Lease
  readonly holder: string
}

async function buildUnderLease(
  parts: BuildParts,
  { table, lease, holder }: Turn,
  options: BuildOptions,
): Promise<void> {
  const { pool } = parts
  const renewal = setInterval(() => {
    acquireLease(parts, lease.name, { holder, ttlMs: leaseMs }).catch(() => {})
  }, leaseMs / 3)
  try {
    const filled = await fillIndexes({ pool, lease, ...options }, table)
    await saveProgress(pool, table, { ...filled, phase: 'ordering', done: filled.total })
    await orderIndexes(pool, table)
    await changeCatalog(pool, { table, lease }, settled)
    for (const discarded of table.discarded) {
      for (const sql of discardSql(table, discarded)) await run(pool, sql)
    }
    await forgetDiscarded(pool, table, lease)
  } catch (error) {
    // Another replica has taken over.
    if (!isApiError(error) || error.reason !== 'FenceLost') throw orStaleModel(error, table)
  } finally {
    clearInterval(renewal)
    await releaseLease(pool, lease).catch(() => {})
  }
}

async function forgetDiscarded(pool: Pool, table: ModelTable, lease: Lease): Promise<void> {
  const gone = new Set(table.discarded.map(({ slot }) => slot))
  await changeCatalog(pool, { table, lease }, (current) => ({
    ...current,
    discarded: current.discarded.filter(({ slot }) => !gone.has(slot)),
  }))
}

/** Skipped when the declaration has changed meanwhile: it wants more than what was built. */
async function changeCatalog(
  pool: Pool,
  { table, lease }: Pick<Turn, 'table' | 'lease'>,
  change: (current: ModelTable) => ModelTable,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    await holdFence(client, lease)
    const targets = targetsOf([table])
    const current = await lockTable(client, table, targets)
    if (current?.edition !== table.edition) throw new StaleModel(table)
    await saveTable(client, change(current))
    await replaceChecks(client, targets)
    await client.query('DELETE FROM index_builds WHERE model = $1', [table.id])
  })
}
