import { decisions } from './authz/decisions.ts'
import { firstDecisions } from './authz/first-decisions.ts'
import { shareOfRequests } from './authz/share-of-requests.ts'
import { runParts } from './measure/part.ts'

/**
 * Authorization in parts: decisions with roles in memory; the cost of reading role bindings from a database; and
 * the share of authentication and authorization in a request. Parts that start a database run after those that do
 * not, because those need an idle machine. `--only=decisions` selects.
 */
await runParts('authz', { decisions, 'first-decisions': firstDecisions, 'share-of-requests': shareOfRequests })
