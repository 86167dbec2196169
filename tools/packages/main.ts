import { globSync, rmSync } from 'node:fs'
import { runCommand } from '../run-command.ts'
import { faultsOf } from './faults.ts'
import { packPackages } from './pack.ts'

/** Packs all packages for publishing, and checks their contents. `--built` uses the last build. */
const out = '.packages'

if (!process.argv.includes('--built')) {
  // Files of an earlier build must not be published.
  for (const folder of globSync('packages/*/{dist,tsconfig.tsbuildinfo}')) rmSync(folder, { recursive: true })
  const { passed, output } = await runCommand('npm run -s build')
  if (!passed) throw new Error(output)
}

const packed = await packPackages(out)
const found = await Promise.all(packed.map(faultsOf))
let faults = 0
console.log(`${'package'.padEnd(24)}${'files'.padStart(7)}${'KB'.padStart(8)}${'unpacked KB'.padStart(14)}`)
for (const [at, one] of packed.entries()) {
  const { name, files, bytes, unpackedBytes } = one
  console.log(
    `${name.padEnd(24)}${String(files.length).padStart(7)}${kilobytes(bytes).padStart(8)}${kilobytes(unpackedBytes).padStart(14)}`,
  )
  for (const fault of found[at] ?? []) {
    faults++
    console.log(fault.replaceAll(/^/gm, '    '))
  }
}
console.log(`${packed.length} packages in ${out}, ${faults} faults`)
process.exitCode = faults === 0 ? 0 : 1

function kilobytes(count: number): string {
  return Math.ceil(count / 1_024).toString()
}
