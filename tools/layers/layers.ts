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

/** Folders of `packages/server/src`, in the order a request passes through them. The check allows each to import at most six others. */
export const serverFolders: readonly Layer[] = [
  { name: 'http', does: 'listener, limits, answers and problems on the wire', mayImport: ['base'] },
  { name: 'audit', does: 'who did what, a line each', mayImport: ['base'] },
  { name: 'authn', does: 'credentials of a request to a caller', mayImport: ['base'] },
  {
    name: 'dispatch',
    does: 'request to the verb, endpoint or page that answers it',
    mayImport: ['watch', 'models', 'validation', 'store', 'base'],
  },
  {
    name: 'host-api',
    does: "the host's own endpoints, a file each: signing in, OpenID Connect, profile, tokens, reviews",
    mayImport: ['access', 'credentials', 'models', 'validation', 'store', 'base'],
  },
  {
    name: 'console',
    does: 'the files of the console and of pages of plugins, and how this replica is',
    mayImport: ['models', 'base'],
  },
  {
    name: 'plugins',
    does: 'plugins: what is installed, their processes, and requests that they answer',
    mayImport: ['access', 'feed', 'models', 'validation', 'store', 'base'],
  },
  {
    name: 'discovery',
    does: 'what there is to call, for programs and for people',
    mayImport: ['models', 'validation', 'base'],
  },
  {
    name: 'access',
    does: 'users, roles, bindings and tokens as models, who holds what, and the decision with its reason',
    mayImport: ['credentials', 'feed', 'models', 'store', 'base'],
  },
  {
    name: 'watch',
    does: 'changes to everybody who watches, each from its own place on',
    mayImport: ['feed', 'models', 'store', 'base'],
  },
  {
    name: 'credentials',
    does: 'passwords, sessions, secrets of tokens, login limits and all SQL on their tables; never part of an object',
    mayImport: ['feed', 'store', 'base'],
  },
  { name: 'feed', does: 'committed changes, as they come, to everybody in the process', mayImport: ['store', 'base'] },
  { name: 'models', does: 'one file a verb', mayImport: ['validation', 'store', 'base'] },
  { name: 'validation', does: 'bodies, metadata and schemas to field errors', mayImport: ['base'] },
  { name: 'store', does: 'objects, indexes, change log and leases in SQLite or PostgreSQL', mayImport: ['base'] },
  { name: 'base', does: 'configuration, log, clock, the types of a call', mayImport: [] },
]

/** Files beside those folders: they assemble the parts, may import any folder, and no folder imports them. */
export const serverRoots = [
  'index',
  'main',
  'assemble',
  'assemble-feed',
  'assemble-host-api',
  'assemble-models',
  'assemble-pages',
  'assemble-plugins',
  'assemble-store',
  'assemble-streaming',
  'server',
  'chores',
  'administer',
  'develop',
  'embed',
  'pipeline',
]

/** Libraries that only one place may import, so that replacing one changes only that place. */
export const sealedLibraries: readonly { readonly library: string; readonly only: string }[] = [
  { library: 'ws', only: '(packages/server/src/http|packages/plugin-sdk/src/run|tests|bench)' },
  { library: 'ajv', only: '(packages/server/src/(validation|base)|packages/plugin-sdk/src/run|tests/fuzz)' },
  { library: 're2js', only: 'packages/server/src/validation' },
  { library: 'pino', only: 'packages/server/src/base' },
  { library: '@opentelemetry/sdk-metrics', only: 'packages/server/src/base' },
  { library: '@opentelemetry/exporter-prometheus', only: 'packages/server/src/base' },
  { library: 'yaml', only: '(packages/server/src/base|packages/cli/src/(objects|plugin))' },
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
