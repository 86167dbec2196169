import { setTimeout as sleep } from 'node:timers/promises'
import { build, withIndex, withSet } from '../indexed-model.ts'
import { openQuietly } from '../open-quietly.ts'

/** Builds the new indexes of the model and says how far it is. Arguments: the database, and `index` or `set`. */
export interface BuilderLine {
  readonly done: number
  readonly total: number
  readonly built: boolean
}

const [url = '', what = ''] = process.argv.slice(2)
await using store = await openQuietly(url)
const model = what === 'set' ? withSet : withIndex
await store.openModel(model)
let built = false
const telling = tell()
await store.buildIndexes(model, build)
built = true
await telling

async function tell(): Promise<void> {
  for (let done = 0, total = 0; ; await sleep(50)) {
    const progress = built ? undefined : await store.indexBuild(model)
    ;({ done, total } = progress ?? { done, total })
    const line: BuilderLine = { done, total, built }
    process.stdout.write(`${JSON.stringify(line)}\n`)
    if (built) return
  }
}
