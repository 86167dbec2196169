import { apply } from './command/apply.ts'
import { list } from './command/list.ts'
import { runParts } from './measure/part.ts'

/** Wall time of the `pergola` command: applying many objects and listing many. `--only=apply` selects. */
await runParts('command', { apply, list })
