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
  { name: 'pergola', does: 'the package of that name: the command of `cli`', mayImport: ['cli'] },
  { name: 'cli', does: 'the `pergola` command', mayImport: ['server', 'client', 'api'] },
  { name: 'create-pergola-plugin', does: 'the files a new plugin begins with', mayImport: ['api'] },
  {
    name: 'console',
    does: 'pages for operators, in a browser; room for the pages of plugins',
    mayImport: ['client', 'api'],
  },
  {
    name: 'feed-nats',
    does: 'changes by NATS; the server loads it when it is configured',
    mayImport: ['server', 'api'],
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
  { name: 'http', does: 'the listener and its limits; answers on the wire', mayImport: [] },
  { name: 'audit', does: 'the audit log: a line per request', mayImport: [] },
  { name: 'authn', does: 'from the credentials of a request to its caller', mayImport: [] },
  {
    name: 'dispatch',
    does: 'from a request to the verb, endpoint or page that answers it',
    mayImport: ['watch', 'models', 'validation', 'store'],
  },
  {
    name: 'host-api',
    does: "the host's own endpoints, a file each: signing in, OpenID Connect, profile, tokens, reviews, batches",
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
    does: 'lists what can be called, and its OpenAPI documents',
    mayImport: ['models', 'validation'],
  },
  {
    name: 'access',
    does: 'users, roles and bindings as models; decides whether a caller may do something, and says why',
    mayImport: ['credentials', 'feed', 'models', 'store'],
  },
  {
    name: 'watch',
    does: 'delivers changes to watchers, each from its own revision',
    mayImport: ['feed', 'models', 'store'],
  },
  {
    name: 'credentials',
    does: 'passwords, sessions, secrets of tokens and login limits; never part of an object',
    mayImport: ['feed', 'store'],
  },
  { name: 'feed', does: 'hands committed changes to every subscriber in the process', mayImport: ['store'] },
  {
    name: 'models',
    does: 'models and their objects: verbs, queries, batches, definitions, secrets',
    mayImport: ['validation', 'store'],
  },
  { name: 'validation', does: 'checks bodies, metadata and schemas; answers field errors', mayImport: [] },
  {
    name: 'store',
    does: 'objects, indexes, change log, leases and other records in SQLite or PostgreSQL; all SQL',
    mayImport: [],
  },
  { name: 'call', does: 'the types of a call, of its answer and of a route', mayImport: [] },
  { name: 'config', does: 'reads and checks the configuration', mayImport: [] },
  { name: 'base', does: 'log, clock, metrics and small utilities', mayImport: [] },
]

/** Folders that every other folder may import; each of them may import those behind it. */
export const common: readonly string[] = ['call', 'config', 'base']

/** Files beside those folders: the ways in. They may import any folder, and no folder imports them. */
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
  { library: 'commander', only: 'packages/cli/src' },
  { library: 'typebox', only: 'packages/plugin-sdk/src/schema' },
]
