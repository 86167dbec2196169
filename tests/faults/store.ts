import { indexBuild } from './store/index-build.ts'
import { killDatabase } from './store/kill-database.ts'
import { killWriter } from './store/kill-writer.ts'
import { oldSnapshot } from './store/old-snapshot.ts'
import { runTrials } from './store/run-trials.ts'
import { slowReader } from './store/slow-reader.ts'
import { stoppedHolder } from './store/stopped-holder.ts'

/**
 * Does the store keep its promises when processes are killed or stopped, when somebody holds an old snapshot, and when
 * somebody reads everything slowly? `--only=<trial>,<trial>` runs some of them.
 */
await runTrials([killWriter, killDatabase, stoppedHolder, indexBuild, oldSnapshot, slowReader])
