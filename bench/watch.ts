import { runParts } from './part.ts'
import { cutLink } from './watch/cut-link.ts'
import { fanOut } from './watch/fan-out.ts'
import { idle } from './watch/idle.ts'
import { latency } from './watch/latency.ts'
import { revocation } from './watch/revocation.ts'

/**
 * Watching: how soon a change is seen, what it costs, and how soon rights end. `--only=idle` chooses,
 * and `--transport=nats` has changes come by NATS.
 */
await runParts('watch', { latency, 'fan-out': fanOut, idle, revocation, 'cut-link': cutLink })
