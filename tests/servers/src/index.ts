export { startPgBouncer } from './pgbouncer.ts'
export type { PgBouncer } from './pgbouncer.ts'
export { createDatabase, postgresVersions, startPostgres } from './postgres.ts'
export type { PostgresServer, PostgresVersion, TestDatabase } from './postgres.ts'
