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
  { name: 'cli', does: 'the `pergola` command', mayImport: ['server', 'client', 'api'] },
  { name: 'create-pergola-plugin', does: 'the files a new plugin begins with', mayImport: ['api'] },
  {
    name: 'console',
    does: 'pages for operators, in a browser; room for the pages of plugins',
    mayImport: ['client', 'api'],
  },
  { name: 'server', does: 'the host: the line from an HTTP request to the store', mayImport: ['api'] },
  {
    name: 'plugin-sdk',
    does: 'what a plugin is written with, and the document it is inspected as',
    mayImport: ['client', 'api'],
  },
  {
    name: 'client',
    does: 'requests, watches and caches for programs; browser and Node, no dependencies but `api`',
    mayImport: ['api'],
  },
  { name: 'api', does: 'the shared words; no dependencies, no Node', mayImport: [] },
]

/** Folders of `packages/server/src`, in the order a request falls through them. */
export const serverFolders: readonly Layer[] = [
  { name: 'http', does: 'listener, limits, answers and problems on the wire', mayImport: ['base'] },
  { name: 'audit', does: 'who did what, a line each', mayImport: ['base'] },
  { name: 'authn', does: 'credentials to a caller', mayImport: ['base'] },
  { name: 'authz', does: 'caller and request to a decision with its reason', mayImport: ['base'] },
  {
    name: 'dispatch',
    does: 'request to the verb or page that answers it',
    mayImport: ['watch', 'models', 'validation', 'store', 'base'],
  },
  {
    name: 'account',
    does: 'signing in and out, passwords',
    mayImport: ['authn', 'credentials', 'dispatch', 'models', 'platform', 'validation', 'store', 'base'],
  },
  {
    name: 'oidc',
    does: 'signing in by OpenID Connect',
    mayImport: ['account', 'authn', 'credentials', 'dispatch', 'models', 'platform', 'validation', 'store', 'base'],
  },
  {
    name: 'own-api',
    does: "the host's own answers at the paths of resources",
    mayImport: ['account', 'authz', 'credentials', 'dispatch', 'models', 'platform', 'validation', 'store', 'base'],
  },
  { name: 'custom-api', does: 'requests that a plugin answers, handed on to it', mayImport: ['base'] },
  {
    name: 'console',
    does: 'the files of the console and of pages of plugins, and how this replica is',
    mayImport: ['dispatch', 'models', 'base'],
  },
  {
    name: 'plugins',
    does: 'plugins: what is installed, their processes, the way to them',
    mayImport: ['authz', 'custom-api', 'dispatch', 'feed', 'models', 'platform', 'validation', 'store', 'base'],
  },
  {
    name: 'discovery',
    does: 'what there is to call, for programs and for people',
    mayImport: ['models', 'validation', 'base'],
  },
  {
    name: 'platform',
    does: 'built-in models and roles, and who holds which',
    mayImport: ['authz', 'credentials', 'feed', 'models', 'validation', 'store', 'base'],
  },
  {
    name: 'watch',
    does: 'changes to everybody who watches, each from its own place on',
    mayImport: ['feed', 'models', 'store', 'base'],
  },
  { name: 'feed', does: 'committed changes, as they come, to everybody in the process', mayImport: ['store', 'base'] },
  {
    name: 'credentials',
    does: 'passwords, sessions and tokens, never as part of an object',
    mayImport: ['feed', 'store', 'base'],
  },
  { name: 'models', does: 'one file a verb', mayImport: ['validation', 'store', 'base'] },
  { name: 'validation', does: 'bodies, metadata and schemas to field errors', mayImport: ['base'] },
  { name: 'store', does: 'objects, indexes, change log and leases in SQLite or PostgreSQL', mayImport: ['base'] },
  { name: 'base', does: 'configuration, log, clock, the types of a call', mayImport: [] },
]

/** Files beside those folders: they put the parts together, may import any folder, and no folder imports them. */
export const serverRoots = [
  'index',
  'main',
  'assemble',
  'assemble-feed',
  'assemble-plugins',
  'chores',
  'administer',
  'develop',
  'embed',
  'pipeline',
]

/** Libraries that stay behind one door, so that replacing one touches one place. */
export const sealedLibraries: readonly { readonly library: string; readonly only: string }[] = [
  { library: 'fastify', only: 'packages/server/src/http' },
  { library: 'ws', only: '(packages/server/src/http|packages/plugin-sdk/src/run|tests|bench)' },
  { library: 'ajv', only: '(packages/server/src/(validation|base)|packages/plugin-sdk/src/run|tests/fuzz)' },
  { library: 're2js', only: 'packages/server/src/validation' },
  { library: 'pino', only: 'packages/server/src/base' },
  { library: '@opentelemetry/sdk-metrics', only: 'packages/server/src/base' },
  { library: '@opentelemetry/exporter-prometheus', only: 'packages/server/src/base' },
  { library: 'yaml', only: '(packages/server/src/base|packages/cli/src/(objects|plugin))' },
  { library: 'better-sqlite3', only: 'packages/server/src/store/sqlite' },
  { library: 'pg', only: '(packages/server/src/store/postgres|tests|bench)' },
  { library: '@nats-io', only: '(packages/server/src/feed/nats|tests|bench)' },
  { library: 'openid-client', only: 'packages/server/src/oidc' },
  { library: 'undici', only: '(packages/server/src/(plugins|custom-api)|tests|bench)' },
  { library: 'semver', only: 'packages/server/src/plugins' },
  { library: 'tar', only: '(packages/server/src/plugins|packages/cli/src/plugin)' },
  { library: 'rolldown', only: 'packages/cli/src/plugin' },
  { library: 'commander', only: 'packages/cli/src' },
  { library: 'typebox', only: 'packages/plugin-sdk/src/schema' },
]
