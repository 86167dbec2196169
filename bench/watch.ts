import { runParts } from './measure/part.ts'
import { backlog } from './watch/backlog.ts'
import { cutLink } from './watch/cut-link.ts'
import { fanOut } from './watch/fan-out.ts'
import { hops } from './watch/hops.ts'
import { idle } from './watch/idle.ts'
import { latency } from './watch/latency.ts'
import { revocation } from './watch/revocation.ts'

/**
 * Watches: latency and cost of a change, and time until a revocation takes effect. `--only=idle` selects,
 * and `--transport=nats` uses NATS.
 */
await runParts('watch', { latency, hops, backlog, 'fan-out': fanOut, idle, revocation, 'cut-link': cutLink })
