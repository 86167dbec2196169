/** The configured transport of changes. */
export interface FeedSettings {
  readonly transport: 'postgres' | 'nats'
  readonly natsUrl: readonly string[]
  readonly natsUser?: string
  readonly natsPasswordFile?: string
  readonly natsTokenFile?: string
  readonly natsCredentialsFile?: string
  readonly natsCaFile?: string
  readonly natsCertFile?: string
  readonly natsKeyFile?: string
  readonly natsStream: string
  readonly natsReplicas: number
  readonly natsMaxAge: number
  readonly natsMaxSize: number
}

const file = (description: string) => ({ type: 'string', minLength: 1, description }) as const

export const feedSettings = {
  type: 'object',
  additionalProperties: false,
  default: {},
  properties: {
    transport: {
      enum: ['postgres', 'nats'],
      default: 'postgres',
      description:
        'How a replica gets changes. `postgres` reads the change log in the database; use it for SQLite and for up to 10 or 20 replicas. With `nats`, one replica copies the log to a NATS JetStream stream for all others. Both kinds work side by side, so replicas can be switched one by one.',
    },
    natsUrl: {
      type: 'array',
      maxItems: 20,
      items: { type: 'string' },
      default: [],
      description:
        'NATS servers, such as `tls://nats-1.example.com:4222`. Messages are as confidential as the database: use TLS and credentials.',
    },
    natsUser: { type: 'string', minLength: 1, description: 'User name for NATS, with a password.' },
    natsPasswordFile: file('File with the password for NATS.'),
    natsTokenFile: file('File with a token for NATS, instead of user and password.'),
    natsCredentialsFile: file('NATS credentials file (`.creds`), instead of user and password.'),
    natsCaFile: file('File with CA certificates for the NATS servers, instead of those of the system.'),
    natsCertFile: file('File with the client certificate for NATS.'),
    natsKeyFile: file('File with the private key of the client certificate.'),
    natsStream: {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      default: 'pergola',
      description:
        'Name of the stream and prefix of its subjects (`pergola.changes.*`, `pergola.proof`). Must be unique for each installation that shares a NATS.',
    },
    natsReplicas: {
      type: 'integer',
      minimum: 1,
      maximum: 5,
      default: 1,
      description:
        'NATS servers that store the stream. Use 3 in a cluster, so that it survives the loss of one server.',
    },
    natsMaxAge: {
      type: 'integer',
      minimum: 10,
      default: 3_600,
      description:
        'Seconds that the stream keeps changes. A replica that was disconnected for longer reads the change log in the database.',
    },
    natsMaxSize: {
      type: 'integer',
      minimum: 1,
      default: 1_024,
      description: 'MiB that the stream may take; above it the oldest changes are deleted earlier.',
    },
  },
} as const

/** Errors that a schema cannot express, by setting. */
export function faultsOfFeed(
  { transport, ...feed }: FeedSettings,
  databaseUrl: string,
): readonly (readonly [key: string, fault: string])[] {
  if (transport !== 'nats') return []
  const faults: (readonly [string, string])[] = []
  if (databaseUrl.startsWith('sqlite:')) {
    faults.push(['transport', 'must be postgres with a SQLite database, which has one replica; nats needs PostgreSQL'])
  }
  if (feed.natsUrl.length === 0) faults.push(['natsUrl', 'must name at least one server for feed.transport nats'])
  if (feed.natsUrl.some((url) => !/^(nats|tls):\/\/[^\s/]+$/.test(url))) {
    faults.push(['natsUrl', 'must be addresses such as nats://127.0.0.1:4222 or tls://nats.example.com:4222'])
  }
  if (/\/\/[^/]*@/.test(feed.natsUrl.join(' '))) {
    faults.push(['natsUrl', 'must not hold a password; set feed.natsUser and feed.natsPasswordFile'])
  }
  const pairs = [
    ['natsUser', 'natsPasswordFile'],
    ['natsCertFile', 'natsKeyFile'],
  ] as const
  for (const [one, other] of pairs) {
    if ((feed[one] === undefined) !== (feed[other] === undefined))
      faults.push([one, `goes with feed.${other}; set both or neither`])
  }
  const ways = [feed.natsUser, feed.natsTokenFile, feed.natsCredentialsFile].filter((way) => way !== undefined)
  if (ways.length > 1) faults.push(['natsUser', 'natsTokenFile and natsCredentialsFile exclude each other; set one'])
  return faults
}
