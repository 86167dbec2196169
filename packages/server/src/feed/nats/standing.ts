import type { Place } from '../../store/store.ts'
import type { HandingOut } from '../handing-out.ts'

/** Without a proof for this long that NATS has brought everything, the log is read instead. */
const unprovenMs = 1_200
/** Or when something that the log had then has not come this long after we were told of it. */
const lateMs = 600
/** As long as NATS still brings something new this often, it is given some time to come to the end of it. */
const movingMs = 300
const patienceMs = 15_000

/** How far NATS has come, and what is known of how far the log is. */
export interface Standing {
  /** Behind what the stream has brought. */
  stream: Place | undefined
  /** When NATS brought something new. */
  movedAt: number
  readsLog: boolean
  /** The log was here when we asked, at that moment. */
  told(place: Place, askedAt: number): void
  /** Holds what we were told against what there is by now. */
  settle(): void
  /** All that was committed before this moment has come by NATS. */
  provenAt(): number
  /** How long something is missing that we were told of, in milliseconds. */
  late(): number
}

interface Told {
  readonly place: Place
  readonly askedAt: number
  readonly toldAt: number
}

const mostTold = 32

export function createStanding(handing: HandingOut): Standing {
  let told: Told[] = []
  let provenAt = Number.NEGATIVE_INFINITY
  const settle = () => {
    told = told.filter(({ place, askedAt }) => {
      if (place.number > handing.place.number) return true
      // Another history, or so long ago that it cannot be compared: this proves nothing, and the log will.
      if (!isKnown(handing, place)) return false
      handing.provenAt(askedAt)
      const brought = (standing.stream?.number ?? -1) >= place.number
      if (brought) provenAt = Math.max(provenAt, askedAt)
      return !brought
    })
  }
  const standing: Standing = {
    stream: undefined,
    movedAt: Number.NEGATIVE_INFINITY,
    readsLog: true,
    told: (place, askedAt) => {
      told = [...told, { place, askedAt, toldAt: performance.now() }].slice(-mostTold)
      settle()
    },
    settle,
    provenAt: () => provenAt,
    late: () => performance.now() - (told[0]?.toldAt ?? Number.POSITIVE_INFINITY),
  }
  return standing
}

/** Whether NATS brings everything now, so that the log need not be read. */
export function isBrought(
  { provenAt, movedAt, late }: Pick<Standing, 'provenAt' | 'movedAt' | 'late'>,
  now: number,
): boolean {
  const unproven = now - provenAt()
  const isMoving = now - movedAt < movingMs && unproven < patienceMs
  return isMoving || (unproven < unprovenMs && late() < lateMs)
}

/** Whether a place is one of those that were handed out, with the tag that it has there. */
export function isKnown(handing: HandingOut, place: Place): boolean {
  try {
    return handing.recent(place) !== undefined
  } catch {
    return false
  }
}
