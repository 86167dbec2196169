import { decisions } from './authz/decisions.ts'
import { firstDecisions } from './authz/first-decisions.ts'
import { shareOfRequests } from './authz/share-of-requests.ts'
import { runParts } from './part.ts'

/**
 * Authorization, in parts: decisions by roles that are in memory; what it costs to look up role bindings in a database; and
 * what of a request it takes to know who asks and whether it may. One that starts a database belongs behind those that do
 * not, which want the machine quiet. `--only=decisions` chooses.
 */
await runParts('authz', { decisions, 'first-decisions': firstDecisions, 'share-of-requests': shareOfRequests })
