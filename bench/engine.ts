import { profile } from './engine/profile.ts'
import { share } from './engine/share.ts'
import { runParts } from './part.ts'

/** What a host makes of its database: beside pgbench with the same statements, and what the rest is spent on. */
await runParts('engine', { share, profile })
