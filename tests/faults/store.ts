import { indexBuild } from './store/index-build.ts'
import { killDatabase } from './store/kill-database.ts'
import { killWriter } from './store/kill-writer.ts'
import { oldSnapshot } from './store/old-snapshot.ts'
import { runTrials } from './store/run-trials.ts'
import { slowReader } from './store/slow-reader.ts'
import { stoppedHolder } from './store/stopped-holder.ts'

/**
 * Checks the store when processes are killed or stopped, when a client holds an old snapshot, and when a client
 * reads everything slowly. `--only=<trial>,<trial>` selects trials.
 */
await runTrials([killWriter, killDatabase, stoppedHolder, indexBuild, oldSnapshot, slowReader])
