/**
 * The architecture as a table: what may import what. Everything not listed is forbidden, and so is every cycle.
 * `npm run lint:layers` checks it; ARCHITECTURE.md shows it.
 */
export interface Layer {
  readonly name: string
  /** Short description for the page that shows this table. */
  readonly does: string
  /** Other layers of the same table. */
  readonly mayImport: readonly string[]
}

/** Packages, each before the packages that it imports. */
export const packages: readonly Layer[] = [
  { name: 'pergola', does: 'the npm package `pergola`: installs the command of `cli`', mayImport: ['cli'] },
  { name: 'cli', does: 'the `pergola` command', mayImport: ['server', 'client', 'api'] },
  { name: 'create-pergola-plugin', does: 'creates the files of a new plugin', mayImport: ['api'] },
  {
    name: 'console',
    does: 'the web console; hosts the pages of plugins',
    mayImport: ['client', 'api'],
  },
  {
    name: 'feed-nats',
    does: 'distributes changes by NATS; the server loads it if configured',
    mayImport: ['server', 'api'],
  },
  { name: 'server', does: 'the host: from an HTTP request to the store', mayImport: ['api'] },
  {
    name: 'plugin-sdk',
    does: 'the library for writing plugins; inspects a plugin without running it',
    mayImport: ['client', 'api'],
  },
  {
    name: 'client',
    does: 'requests, watches and caches for API clients; browser and Node, depends only on `api`',
    mayImport: ['api'],
  },
  { name: 'api', does: 'types and functions that all packages share; no dependencies, no Node', mayImport: [] },
]

/**
 * Folders of `packages/server/src`, in the order a request passes through them. Each may also import the `common` ones, and at
 * most five others.
 */
export const serverFolders: readonly Layer[] = [
  {
    name: 'assembly',
    does: 'creates every part of the server, then starts them',
    mayImport: ['*'],
  },
  { name: 'http', does: 'the HTTP listener and its limits; writes responses', mayImport: [] },
  { name: 'audit', does: 'the audit log: one line per request', mayImport: [] },
  { name: 'authn', does: 'finds the caller of a request by its credentials', mayImport: [] },
  {
    name: 'dispatch',
    does: 'routes a request to the verb, endpoint or page that answers it',
    mayImport: ['watch', 'models', 'validation', 'store'],
  },
  {
    name: 'doctor',
    does: 'checks a configuration, its machine, its database and its providers without a running server',
    mayImport: ['host-api', 'models', 'store'],
  },
  {
    name: 'host-api',
    does: "the host's own endpoints, one file each: sign-in, OpenID Connect, profile, tokens, reviews, batches",
    mayImport: ['access', 'credentials', 'models', 'validation', 'store'],
  },
  {
    name: 'console',
    does: 'serves the console, the pages of plugins and the figures of this replica',
    mayImport: ['models'],
  },
  {
    name: 'plugins',
    does: 'plugins: packages, installing, running, processes, custom APIs, upgrades, removal',
    mayImport: ['access', 'feed', 'models', 'validation', 'store'],
  },
  {
    name: 'discovery',
    does: 'lists the served groups and models; serves OpenAPI documents',
    mayImport: ['models', 'validation'],
  },
  {
    name: 'access',
    does: 'users, roles and bindings as models; decides whether a request is allowed, and explains why',
    mayImport: ['credentials', 'feed', 'models', 'store'],
  },
  {
    name: 'watch',
    does: 'delivers changes to watchers, each from its own revision',
    mayImport: ['feed', 'models', 'store'],
  },
  {
    name: 'credentials',
    does: 'passwords, sessions, token secrets and login limits; stored outside objects',
    mayImport: ['feed', 'store'],
  },
  { name: 'feed', does: 'delivers committed changes to every subscriber in the process', mayImport: ['store'] },
  {
    name: 'models',
    does: 'models and their objects: verbs, queries, batches, definitions, secrets',
    mayImport: ['validation', 'store'],
  },
  { name: 'validation', does: 'validates bodies, metadata and schemas; returns field errors', mayImport: [] },
  {
    name: 'store',
    does: 'objects, indexes, change log, leases and other records in SQLite or PostgreSQL; all SQL',
    mayImport: [],
  },
  { name: 'call', does: 'types of a call, its answer and a route', mayImport: [] },
  { name: 'config', does: 'reads and checks the configuration', mayImport: [] },
  { name: 'base', does: 'log, clock, metrics and small utilities', mayImport: [] },
]

/** Folders that every other folder may import; each of them may import those behind it. */
export const common: readonly string[] = ['call', 'config', 'base']

/** Entry points beside those folders. They may import any folder, and no folder imports them. */
export const serverRoots = ['index', 'main', 'server', 'administer', 'develop', 'embed', 'pipeline']

/** Libraries that only one place may import, so that replacing one changes only that place. */
export const sealedLibraries: readonly { readonly library: string; readonly only: string }[] = [
  { library: 'ws', only: '(packages/server/src/http|packages/plugin-sdk/src/run|tests|bench)' },
  { library: 'ajv', only: '(packages/server/src/(validation|config)|packages/plugin-sdk/src/run|tests/fuzz)' },
  { library: 're2js', only: 'packages/server/src/validation' },
  { library: 'pino', only: 'packages/server/src/base' },
  { library: '@opentelemetry/sdk-metrics', only: 'packages/server/src/base' },
  { library: '@opentelemetry/exporter-prometheus', only: 'packages/server/src/base' },
  { library: 'yaml', only: '(packages/server/src/(base|config)|packages/cli/src/(objects|plugin))' },
  { library: 'better-sqlite3', only: 'packages/server/src/store/sqlite' },
  { library: 'pg', only: '(packages/server/src/store/postgres|tests|bench)' },
  { library: '@nats-io', only: '(packages/feed-nats/src|tests|bench)' },
  { library: 'openid-client', only: 'packages/server/src/host-api/oidc' },
  { library: 'undici', only: '(packages/server/src/plugins|tests|bench)' },
  { library: 'semver', only: 'packages/server/src/plugins' },
  { library: 'tar', only: '(packages/server/src/plugins|packages/cli/src/plugin)' },
  { library: 'rolldown', only: 'packages/cli/src/plugin' },
  { library: '@vue/compiler-sfc', only: 'packages/cli/src/plugin' },
  { library: 'commander', only: 'packages/cli/src' },
  { library: 'typebox', only: 'packages/plugin-sdk/src/schema' },
]
