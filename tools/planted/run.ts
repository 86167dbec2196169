import { plantInConformance } from './conformance.ts'
import { plantInGates } from './gates.ts'
import { plantInWatch } from './watch.ts'

/**
 * Proves that checks can fail: the gates of the repository; with `conformance` the tests of its promises; with
 * `watch` the validators of watch events; with `scaffold` the test of every new plugin.
 */
const suites: Readonly<Record<string, (words: readonly string[]) => Promise<boolean>>> = {
  gates: plantInGates,
  conformance: plantInConformance,
  watch: plantInWatch,
  scaffold: (words) => plantInGates(['--only=in a new plugin', ...words]),
}
const [suite = 'gates', ...words] = process.argv.slice(2)
const plant = suites[suite]
if (!plant) throw new Error(`known are ${Object.keys(suites).join(', ')}; not "${suite}"`)
process.exitCode = (await plant(words)) ? 0 : 1
