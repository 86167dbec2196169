/**
 * The architecture as a table: what may import what. Everything not listed is forbidden, and so is every cycle.
 * `npm run lint:layers` checks it; ARCHITECTURE.md shows it.
 */
export interface Layer {
  readonly name: string
  /** In a few words, for the page that shows this table. */
  readonly does: string
  /** Other layers of the same table. */
  readonly mayImport: readonly string[]
}

/** Packages, by who imports them. */
export const packages: readonly Layer[] = [
  { name: 'cli', does: 'the `pergola` command', mayImport: ['server'] },
  { name: 'server', does: 'the host: the line from an HTTP request to the store', mayImport: ['api'] },
  { name: 'api', does: 'the shared words; no dependencies, no Node', mayImport: [] },
]

/** Folders of `packages/server/src`, in the order a request falls through them. */
export const serverFolders: readonly Layer[] = [
  { name: 'http', does: 'listener, limits, answers and problems on the wire', mayImport: ['base'] },
  { name: 'authn', does: 'credentials to a caller', mayImport: ['base'] },
  { name: 'authz', does: 'caller and request to a decision with its reason', mayImport: ['base'] },
  {
    name: 'dispatch',
    does: 'request to the verb or page that answers it',
    mayImport: ['models', 'validation', 'store', 'base'],
  },
  {
    name: 'account',
    does: 'signing in and out, passwords',
    mayImport: ['authn', 'credentials', 'dispatch', 'models', 'platform', 'validation', 'store', 'base'],
  },
  {
    name: 'own-api',
    does: "the host's own answers at the paths of resources",
    mayImport: ['account', 'authz', 'credentials', 'dispatch', 'models', 'platform', 'validation', 'store', 'base'],
  },
  {
    name: 'discovery',
    does: 'what there is to call, for programs and for people',
    mayImport: ['models', 'validation', 'base'],
  },
  {
    name: 'platform',
    does: 'built-in models and roles, and who holds which',
    mayImport: ['authz', 'credentials', 'models', 'validation', 'store', 'base'],
  },
  {
    name: 'credentials',
    does: 'passwords, sessions and tokens, never as part of an object',
    mayImport: ['store', 'base'],
  },
  { name: 'models', does: 'one file a verb', mayImport: ['validation', 'store', 'base'] },
  { name: 'validation', does: 'bodies, metadata and schemas to field errors', mayImport: ['base'] },
  { name: 'store', does: 'objects, indexes, change log and leases in SQLite or PostgreSQL', mayImport: ['base'] },
  { name: 'base', does: 'configuration, log, clock, the types of a call', mayImport: [] },
]

/** Files beside those folders: they put the parts together, may import any folder, and no folder imports them. */
export const serverRoots = ['index', 'main', 'assemble', 'pipeline']

/** Libraries that stay behind one door, so that replacing one touches one place. */
export const sealedLibraries: readonly { readonly library: string; readonly only: string }[] = [
  { library: 'fastify', only: 'packages/server/src/http' },
  { library: 'ajv', only: '(packages/server/src/(validation|base)|tests/fuzz)' },
  { library: 're2js', only: 'packages/server/src/validation' },
  { library: 'pino', only: 'packages/server/src/base' },
  { library: 'yaml', only: 'packages/server/src/base' },
  { library: 'better-sqlite3', only: 'packages/server/src/store/sqlite' },
  { library: 'pg', only: '(packages/server/src/store/postgres|tests|bench)' },
  { library: 'commander', only: 'packages/cli/src' },
]
