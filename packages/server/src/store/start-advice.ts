/** What to do about an error of PostgreSQL or of the way to it, by code. */
const advice: readonly (readonly [codes: RegExp, words: string])[] = [
  [
    /^(ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/,
    'check database.url, and that PostgreSQL runs there',
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'check the host in database.url'],
  [/^(28P01|28000)$/, 'check the user in database.url, and its password or database.passwordFile'],
  [/^3D000$/, 'create the database with createdb, or correct its name in database.url'],
  [/^42501$/, 'let the user of database.url own the database: ALTER DATABASE <name> OWNER TO <user>'],
  [/^(53300|53400)$/, 'raise max_connections of PostgreSQL, or set database.url to a pooler'],
  [/^25006$/, 'set database.url to the primary: this database is read-only'],
]

/** The next step after an error at the start; undefined for errors that say it themselves. */
export function startAdvice(error: unknown): string | undefined {
  if (error instanceof AggregateError) return error.errors.map(startAdvice).find((words) => words !== undefined)
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : ''
  return advice.find(([codes]) => codes.test(code))?.[1] ?? startAdvice(error.cause)
}
