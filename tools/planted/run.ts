import { plantInConformance } from './conformance.ts'
import { plantInGates } from './gates.ts'

/** Proves that checks can fail: the gates of the repository, or with the word `conformance` the tests of its promises. */
const [suite, ...words] = process.argv.slice(2)
if (suite !== undefined && suite !== 'conformance') throw new Error(`known is conformance; not "${suite}"`)
const allSeen = suite === undefined ? await plantInGates() : await plantInConformance(words)
process.exitCode = allSeen ? 0 : 1
