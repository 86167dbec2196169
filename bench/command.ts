import { apply } from './command/apply.ts'
import { list } from './command/list.ts'
import { runParts } from './part.ts'

/** The `pergola` command, as a person waits for it: what it writes, and what it reads of many. `--only=apply` chooses. */
await runParts('command', { apply, list })
