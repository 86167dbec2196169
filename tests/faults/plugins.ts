import { controllers } from './plugins/controllers.ts'
import { hostile } from './plugins/hostile.ts'
import { sharedMemory } from './plugins/shared-memory.ts'
import { stricterSchema } from './plugins/stricter-schema.ts'
import { runTrials } from './store/run-trials.ts'

/** Checks plugins when hosts and plugins are killed or suspended, and hosts when plugins are hostile. `--only=<trial>,<trial>` selects trials. */
await runTrials([controllers, hostile, sharedMemory, stricterSchema])
// Exits even if handles are still open.
process.exit()
