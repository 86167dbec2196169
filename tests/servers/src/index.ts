export { createDatabase, postgresVersions, startPostgres } from './postgres.ts'
export type { PostgresServer, PostgresVersion, TestDatabase } from './postgres.ts'
