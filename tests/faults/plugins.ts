import { controllers } from './plugins/controllers.ts'
import { hostile } from './plugins/hostile.ts'
import { sharedMemory } from './plugins/shared-memory.ts'
import { stricterSchema } from './plugins/stricter-schema.ts'
import { runTrials } from './store/run-trials.ts'

/** Do plugins keep their promises when hosts and plugins are killed or stand still, and hosts when plugins do their worst? `--only=<trial>,<trial>` runs some. */
await runTrials([controllers, hostile, sharedMemory, stricterSchema])
// Whatever is still open must not keep the process.
process.exit()
