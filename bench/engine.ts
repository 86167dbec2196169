import { profile } from './engine/profile.ts'
import { share } from './engine/share.ts'
import { runParts } from './measure/part.ts'

/** Throughput of a host compared with pgbench running the same statements, and a profile of the difference. */
await runParts('engine', { share, profile })
