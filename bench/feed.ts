import { catchUp } from './feed/catch-up.ts'
import { cutNats } from './feed/cut-nats.ts'
import { database } from './feed/database.ts'
import { relay } from './feed/relay.ts'
import { runParts } from './measure/part.ts'

/** Changes by NATS: cost of the relay, catch-up time of a disconnected replica, and saved database load. */
await runParts('feed', { relay, 'catch-up': catchUp, database, 'cut-nats': cutNats })
