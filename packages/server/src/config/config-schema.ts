import { defaultMemoryLimit, defaultProcessLimit, defaultScratchLimit } from '@pergola/api'
import { feedSettings } from './feed-settings.ts'
import { oidcSettings } from './oidc-settings.ts'
import { pluginFilesSettings } from './plugin-files-settings.ts'
import { replicaSettings } from './replica-settings.ts'
import { sessionSettings } from './session-settings.ts'
import { tlsSettings } from './tls-settings.ts'
import { tracingSettings } from './tracing-settings.ts'
import { valueSourceSchema } from './value-source.ts'

/** The only list of settings; the reference page is generated from it. */
export const configSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    server: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        host: { type: 'string', minLength: 1, default: '127.0.0.1', description: 'Address to listen on.' },
        port: {
          type: 'integer',
          minimum: 0,
          maximum: 65535,
          default: 8090,
          description: 'Port to listen on; 0 takes a free one.',
        },
        stopDelay: {
          type: 'integer',
          minimum: 0,
          default: 1,
          description:
            'Seconds that a stopping server, already unready, still accepts connections. Set it longer than a load balancer needs to notice.',
        },
        drainTimeout: {
          type: 'integer',
          minimum: 0,
          default: 25,
          description: 'Seconds that requests in flight then have to finish.',
        },
        publicUrl: {
          type: 'string',
          format: 'origin',
          description:
            'Public address of the server, such as `https://pergola.example.com`. It decides the attributes of session cookies and which origins may use them. Default: the address that the server listens on.',
        },
        allowInsecureLogin: {
          type: 'boolean',
          default: false,
          description:
            'Whether users may sign in over plain http from other machines, where passwords can be intercepted.',
        },
      },
    },
    tls: tlsSettings,
    http: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        trustedProxies: {
          type: 'array',
          maxItems: 100,
          items: { type: 'string' },
          default: [],
          description:
            'Addresses and ranges (`10.0.0.0/8`) of your proxies. The server accepts `X-Forwarded-For`, `-Proto` and `-Host` only from them, and never accepts `Forwarded`.',
        },
        maxInFlight: {
          type: 'integer',
          minimum: 4,
          default: 1000,
          description:
            'Requests that a process works on at the same time, without watches. A user, a plugin, or an address without credentials may have a quarter of them; more are rejected with 429.',
        },
        compression: {
          type: 'boolean',
          default: true,
          description:
            'Compress lists, discovery and OpenAPI documents of 1 KiB or more with gzip, for clients that accept it; never secrets, tokens, sign-ins and streams. Turn it off if a proxy compresses.',
        },
      },
    },
    cors: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        origins: {
          type: 'array',
          maxItems: 100,
          items: { type: 'string' },
          default: [],
          description:
            'Origins of other sites, such as `https://app.example.com`, whose pages may call the API with a token, never with a cookie.',
        },
      },
    },
    database: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        url: {
          type: 'string',
          pattern: '^(sqlite:.|postgres(ql)?://)',
          default: 'sqlite:pergola.db',
          description: '`sqlite:<file>` for one process, or `postgres://user:password@host:port/database`.',
        },
        directUrl: {
          type: 'string',
          pattern: '^postgres(ql)?://',
          description:
            'PostgreSQL without the pooler, when `database.url` is that of a pooler. Migrations, index builds and notifications of changes use it; without it, replicas behind a pooler in transaction mode poll.',
        },
        passwordFile: {
          type: 'string',
          minLength: 1,
          description:
            'File with the password for `database.url` and `database.directUrl`, which then have a user and no password. Read at the start.',
        },
        schema: {
          type: 'string',
          pattern: '^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,39}$',
          description:
            'PostgreSQL schema of all tables, created at the first start. Installations with different schemas can share a database. Default: that of the database, usually `public`. Behind a pooler, the role has to choose it too; the server says how.',
        },
        timeout: {
          type: 'integer',
          minimum: 1,
          maximum: 300,
          default: 20,
          description: 'Seconds that a database statement may take before the request fails with 503.',
        },
        namedStatements: {
          type: 'boolean',
          default: true,
          description:
            'Whether prepared statements are kept per connection. Set `false` behind a pooler in transaction mode that does not support them.',
        },
      },
    },
    changelog: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        retention: {
          type: 'integer',
          minimum: 1,
          default: 24,
          description:
            'Hours that changes are kept for watches to resume from. A watch that resumes later has to list again.',
        },
        maxBytes: {
          type: 'integer',
          minimum: 1_048_576,
          default: 10_737_418_240,
          description:
            'Bytes that kept changes may take in the database; above it the oldest are deleted earlier. 5,000 changes a second of 2 KB fill the default in 18 minutes.',
        },
      },
    },
    feed: feedSettings,
    watch: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        max: {
          type: 'integer',
          minimum: 1,
          default: 20_000,
          description: 'Watches and plugin streams that a process serves at the same time; each takes about 10 KB.',
        },
        maxPerUser: {
          type: 'integer',
          minimum: 1,
          default: 100,
          description:
            'Watches and plugin streams that a process serves at the same time per user, or per client address for anonymous callers.',
        },
      },
    },
    admin: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        username: {
          type: 'string',
          minLength: 1,
          description: 'User name of the first super administrator, created at a start if there is none.',
        },
        passwordFile: {
          type: 'string',
          minLength: 1,
          description: 'File with the password of the first super administrator.',
        },
      },
    },
    audit: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        file: {
          type: 'string',
          minLength: 1,
          description:
            'File or pipe that gets a line for every request that changes something, is denied, or concerns an account. Without it there is no audit log.',
        },
      },
    },
    metrics: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        host: {
          type: 'string',
          minLength: 1,
          default: '127.0.0.1',
          description: 'Address that the metrics port listens on.',
        },
        port: {
          type: 'integer',
          minimum: 1,
          maximum: 65535,
          description:
            'Separate port that serves Prometheus metrics at `/metrics`, without authentication. Without it there are no metrics.',
        },
      },
    },
    tracing: tracingSettings,
    plugins: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        isolation: {
          enum: ['auto', 'uid', 'shared'],
          default: 'auto',
          description:
            'Whether each plugin runs as a separate account, isolated from the host and from other plugins. `uid` requires it and needs a host that runs as root. `shared` runs all plugins as the account of the host, which isolates only crashes. `auto` uses `uid` where possible. `/readyz?verbose` shows the result.',
        },
        memoryLimit: {
          type: 'integer',
          minimum: 32,
          default: defaultMemoryLimit,
          description: 'MiB of memory for the processes of a plugin. A plugin that exceeds it is killed and restarted.',
        },
        processLimit: {
          type: 'integer',
          minimum: 1,
          default: defaultProcessLimit,
          description:
            'Processes that a plugin may have at the same time. A plugin that exceeds it is killed and restarted.',
        },
        scratchLimit: {
          type: 'integer',
          minimum: 1,
          default: defaultScratchLimit,
          description:
            'MiB that a plugin may have in its scratch folder, which is its `TMPDIR`; also the maximum size of a file that it writes anywhere. The folder is measured every 5 seconds, and a plugin that exceeds it is killed and restarted with an empty one.',
        },
        startTimeout: {
          type: 'integer',
          minimum: 1,
          default: 30,
          description: 'Seconds within which the process of a plugin must become healthy.',
        },
        startGrace: {
          type: 'integer',
          minimum: 0,
          default: 30,
          description:
            'Seconds that a starting replica waits for its plugins before it is ready. After that, a failing plugin does not make the replica unready.',
        },
        ...pluginFilesSettings,
      },
    },
    replica: replicaSettings,
    secrets: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        keys: {
          type: 'array',
          maxItems: 20,
          items: valueSourceSchema,
          default: [],
          description:
            'Encryption keys for secrets, each 32 random bytes in base64, as `openssl rand -base64 32` prints them. The first key encrypts; all keys decrypt. Each comes from a file or a variable:',
        },
      },
    },
    sessions: sessionSettings,
    oidc: oidcSettings,
    log: {
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        level: {
          enum: ['debug', 'info', 'warn', 'error'],
          default: 'info',
          description: 'Lowest level that is logged.',
        },
        format: {
          enum: ['auto', 'json', 'pretty'],
          default: 'auto',
          description:
            '`json` writes one JSON object a line, also when the server is ready; `pretty` writes text; `auto` uses `pretty` on a terminal.',
        },
      },
    },
  },
} as const
