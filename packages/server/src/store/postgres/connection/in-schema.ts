import type { Pool } from 'pg'
import { inTransaction } from '../write/transaction.ts'

interface Addresses {
  readonly url: string
  readonly directUrl?: string | undefined
  readonly namedStatements?: boolean | undefined
  /** The schema of all tables; by default what the database chooses, usually `public`. */
  readonly schema?: string | undefined
}

/**
 * Addresses whose connections use the schema. That of a pooler stays as it is: its connections are shared, and many poolers
 * refuse the option. There the role has to choose the schema.
 */
export function inSchema<Given extends Addresses>(given: Given): Given {
  const { schema, url, directUrl, namedStatements = true } = given
  if (schema === undefined) return given
  const isPooled = !namedStatements || (directUrl !== undefined && directUrl !== url)
  return {
    ...given,
    url: isPooled ? url : withOption(url, schema),
    ...(directUrl !== undefined && { directUrl: withOption(directUrl, schema) }),
  }
}

/** Creates the schema if it is missing. Throws if one of the pools would use another one. */
export async function prepareSchema(
  { pool, direct }: Record<'pool' | 'direct', Pool>,
  { schema, url }: { readonly schema: string; readonly url: string },
): Promise<void> {
  await inTransaction(direct, async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('pergola new schema', 0))`)
    const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema])
    // Checked first: creating takes a right that using does not.
    if (rowCount === 0) await client.query(`CREATE SCHEMA "${schema}"`)
  })
  for (const one of new Set([direct, pool])) {
    const { rows } = await one.query<{ found: string | null }>('SELECT current_schema() AS found')
    const found = rows[0]?.found ?? 'none'
    if (found === schema) continue
    throw new Error(`database.url uses the schema ${found} instead of ${schema}: ${schemaAdvice(url, schema)}`)
  }
}

/** For a pooler, which does not take the schema from a client. */
export function schemaAdvice(url: string, schema: string): string {
  const { username, pathname } = new URL(url)
  const [user, database] = [username, pathname.slice(1)].map((name) => `"${decodeURIComponent(name)}"`)
  return `run  ALTER ROLE ${user} IN DATABASE ${database} SET search_path TO "${schema}"  and let the pooler reconnect`
}

/** Without a space, which drivers and the programs of PostgreSQL encode differently. */
function withOption(url: string, schema: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}options=--search_path%3D${schema}`
}
