import { catchUp } from './feed/catch-up.ts'
import { cutNats } from './feed/cut-nats.ts'
import { database } from './feed/database.ts'
import { relay } from './feed/relay.ts'
import { runParts } from './part.ts'

/** Changes by NATS: what the relay costs, how soon a replica that was away is back, and what the database is spared. */
await runParts('feed', { relay, 'catch-up': catchUp, database, 'cut-nats': cutNats })
