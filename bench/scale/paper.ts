import type { Unit, UnitName, Units } from './units.ts'

/** Size of an installation. */
interface Size {
  readonly replicas: number
  readonly watchers: number
  /** Per second. */
  readonly writes: number
  readonly objects: number
}

const large: Size = { replicas: 100, watchers: 1_000_000, writes: 5_000, objects: 100_000_000 }
/** The rate at which shares of a core were measured. */
const measuredWrites = 1_000
/** Share of a core for delivering changes to watches; the rest is for requests and peaks. */
const deliveryShare = 0.5
const defaultLogBytes = 10 * 1024 ** 3

const unitWords: Readonly<Record<UnitName, readonly [words: string, unit: string]>> = {
  writeMicroseconds: ['A write, with all of replica and database', 'µs of CPU'],
  databaseWriteMicroseconds: ['of it, in the connections of the database', 'µs of CPU'],
  objectBytes: ['An object of 600 bytes with four indexes and three labels, in the database', 'bytes'],
  changeBytes: ['Its change in the log', 'bytes'],
  databaseShareByLog: ['A replica that reads the log, of the database, at 1,000 writes/s', 'of a core'],
  databaseShareByNats: ['A replica on NATS, of the database, at 1,000 writes/s', 'of a core'],
  relayMicroseconds: ['The relay, behind a backlog, for a change', 'µs of CPU'],
  relaySteadyMicroseconds: ['The relay, at 1,000 writes/s, for a change', 'µs of CPU'],
  messageBytes: ['A change in transit', 'bytes'],
  natsMicroseconds: ['NATS, for a change and a replica', 'µs of CPU'],
  replicaMicroseconds: ['A replica, for a change that comes by NATS', 'µs of CPU'],
  catchUpPerSecond: ['A replica that was away', 'changes a second'],
  deliveryMicroseconds: ['A frame to a watcher', 'µs of CPU'],
  watcherKilobytes: ['A watcher at rest', 'KB'],
}

/** What was measured, and by which command. */
export function unitTable(units: Units): string {
  const names = Object.keys(unitWords) as UnitName[]
  const rows = names.flatMap((name) => {
    const unit = units[name]
    const [words, what] = unitWords[name]
    return unit ? [[words, `${shown(unit)} ${what}`, `\`${unit.command}\``]] : [[words, 'not measured', '']]
  })
  return table(['What', 'Costs', 'Measured by'], rows)
}

/** Computed needs of an installation. */
export function paperTable(units: Units, wanted: Partial<Size> = {}): string {
  const size = { ...large, ...wanted }
  const rows = rowsOf(size).map(({ part, needs, words }) => {
    const missing = needs.filter((name) => !units[name])
    const value = (name: UnitName) => units[name]?.value ?? Number.NaN
    return [part, missing.length > 0 ? `needs ${missing.join(', ')}` : words(value)]
  })
  const { replicas, watchers, writes, objects } = size
  const heading = `${whole(replicas)} replicas, ${whole(watchers)} watchers, ${whole(writes)} writes/s, ${whole(objects)} objects`
  return table([heading, 'Comes to'], rows)
}

interface PaperRow {
  readonly part: string
  readonly needs: readonly UnitName[]
  readonly words: (value: (name: UnitName) => number) => string
}

function rowsOf({ replicas, watchers, writes, objects }: Size): readonly PaperRow[] {
  const more = writes / measuredWrites
  return [
    {
      part: 'Database, for writes',
      needs: ['databaseWriteMicroseconds'],
      words: (value) =>
        `${cores((value('databaseWriteMicroseconds') * writes) / 1e6)}, without its own background work`,
    },
    {
      part: 'Database, for replicas that read the log',
      needs: ['databaseShareByLog', 'changeBytes'],
      words: (value) =>
        `${cores(value('databaseShareByLog') * replicas * more)}, and ${megabytes(replicas * writes * value('changeBytes'))}/s out of it`,
    },
    {
      part: 'Database, for replicas on NATS',
      needs: ['databaseShareByNats', 'changeBytes'],
      words: (value) =>
        `${cores(value('databaseShareByNats') * replicas)}, and ${megabytes(writes * value('changeBytes'))}/s to the relay`,
    },
    {
      part: 'Relay',
      needs: ['relayMicroseconds'],
      words: (value) => cores((value('relayMicroseconds') * writes) / 1e6),
    },
    {
      part: 'NATS',
      needs: ['natsMicroseconds', 'messageBytes'],
      words: (value) => {
        const bytes = replicas * writes * value('messageBytes')
        return `${cores((value('natsMicroseconds') * writes * replicas) / 1e6)}, ${megabytes(bytes)}/s out of it (${((bytes * 8) / 1e9).toFixed(1)} Gbit/s)`
      },
    },
    {
      part: 'Each replica, to follow',
      needs: ['replicaMicroseconds'],
      words: (value) => cores((value('replicaMicroseconds') * writes) / 1e6),
    },
    {
      part: 'Each replica, for its share of the writes',
      needs: ['writeMicroseconds', 'databaseWriteMicroseconds'],
      words: (value) => {
        const own = Math.max(0, value('writeMicroseconds') - value('databaseWriteMicroseconds'))
        return cores((own * writes) / replicas / 1e6)
      },
    },
    {
      part: 'Each replica, memory of its watchers',
      needs: ['watcherKilobytes'],
      words: (value) =>
        `${megabytes((watchers / replicas) * value('watcherKilobytes') * 1024)} for ${whole(watchers / replicas)}`,
    },
    {
      part: 'Frames, with half a core of each replica',
      needs: ['deliveryMicroseconds'],
      words: (value) => {
        const all = ((deliveryShare * 1e6) / value('deliveryMicroseconds')) * replicas
        const each = all / writes
        return `${whole(round(all))}/s, so ${whole(round(each))} watchers of every write on average; a model that all ${whole(watchers)} watch may change ${(all / watchers).toFixed(1)} times a second`
      },
    },
    {
      part: 'A replica that was away for ten minutes is back after',
      needs: ['catchUpPerSecond'],
      words: (value) => `${((writes * 600) / Math.max(1, value('catchUpPerSecond') - writes)).toFixed(0)} s`,
    },
    {
      part: 'Objects in the database',
      needs: ['objectBytes'],
      words: (value) => gigabytes(objects * value('objectBytes')),
    },
    {
      part: 'Change log',
      needs: ['changeBytes'],
      words: (value) => {
        const perSecond = writes * value('changeBytes')
        return `${gigabytes(perSecond * 3_600)} an hour; the default of 10 GiB lasts ${(defaultLogBytes / perSecond / 60).toFixed(0)} minutes`
      },
    },
  ]
}

function shown({ value }: Unit): string {
  return value >= 1_000 ? whole(round(value)) : String(Number(value.toPrecision(3)))
}

/** Rounds to two significant figures. */
function round(value: number): number {
  return Number(value.toPrecision(2))
}

function cores(share: number): string {
  return share < 0.995 ? `${Number((share * 100).toPrecision(2))} % of a core` : `${Number(share.toPrecision(2))} cores`
}

function megabytes(bytes: number): string {
  return `${whole(round(bytes / 1e6))} MB`
}

function gigabytes(bytes: number): string {
  return `${whole(round(bytes / 1e9))} GB`
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
