import { paperTable, unitTable } from './scale/paper.ts'
import { readUnits } from './scale/units.ts'

/**
 * Computes the needs of a large installation from measurements: `npm run bench -- feed --record` and `npm run bench -- watch
 * --record` write `bench/scale/measured.json`; the page on scale shows these tables. `--replicas=20 --watchers=50000
 * --writes=500 --objects=1000000` computes another size.
 */
const wanted = (name: string) => {
  const given = process.argv.find((word) => word.startsWith(`--${name}=`))
  return given === undefined ? undefined : Number(given.slice(name.length + 3))
}
const [replicas, watchers] = [wanted('replicas'), wanted('watchers')]
const [writes, objects] = [wanted('writes'), wanted('objects')]
const units = readUnits()
console.log(unitTable(units))
console.log('')
console.log(
  paperTable(units, {
    ...(replicas && { replicas }),
    ...(watchers && { watchers }),
    ...(writes && { writes }),
    ...(objects && { objects }),
  }),
)
