import type { HandingOut, LogPosition } from '@pergola/server/feed'

/** After this long without a proof of complete delivery, the log is read instead. */
const unprovenMs = 1_200
/** Likewise if a proven change has not arrived this long after the proof. */
const lateMs = 600
/** While NATS delivers something new at least this often, it gets up to `patienceMs` to reach the end. */
const movingMs = 300
const patienceMs = 15_000

/** How far NATS has delivered, and what is known about the end of the log. */
export interface Standing {
  /** The position after the last delivered change. */
  stream: LogPosition | undefined
  /** When NATS last delivered something new. */
  movedAt: number
  readsLog: boolean
  /** Records that the log was at this position when the question was asked. */
  told(position: LogPosition, askedAt: number): void
  /** Compares the recorded positions with the delivered changes. */
  settle(): void
  /** Everything committed before this moment has arrived by NATS. */
  provenAt(): number
  /** For how many milliseconds a proven change has been missing. */
  late(): number
}

interface Told {
  readonly position: LogPosition
  readonly askedAt: number
  readonly toldAt: number
}

const mostTold = 32

export function createStanding(handing: HandingOut): Standing {
  let told: Told[] = []
  let provenAt = Number.NEGATIVE_INFINITY
  const settle = () => {
    told = told.filter(({ position, askedAt }) => {
      if (position.number > handing.position.number) return true
      // The position is of another history or too old to compare, so it proves nothing, and the log is read.
      if (!isKnown(handing, position)) return false
      handing.provenAt(askedAt)
      const brought = (standing.stream?.number ?? -1) >= position.number
      if (brought) provenAt = Math.max(provenAt, askedAt)
      return !brought
    })
  }
  const standing: Standing = {
    stream: undefined,
    movedAt: Number.NEGATIVE_INFINITY,
    readsLog: true,
    told: (position, askedAt) => {
      told = [...told, { position, askedAt, toldAt: performance.now() }].slice(-mostTold)
      settle()
    },
    settle,
    provenAt: () => provenAt,
    late: () => performance.now() - (told[0]?.toldAt ?? Number.POSITIVE_INFINITY),
  }
  return standing
}

/** Whether NATS delivers everything now, so that the log need not be read. */
export function isBrought(
  { provenAt, movedAt, late }: Pick<Standing, 'provenAt' | 'movedAt' | 'late'>,
  now: number,
): boolean {
  const unproven = now - provenAt()
  const isMoving = now - movedAt < movingMs && unproven < patienceMs
  return isMoving || (unproven < unprovenMs && late() < lateMs)
}

/** Whether a position was handed out, with the same tag. */
export function isKnown(handing: HandingOut, position: LogPosition): boolean {
  try {
    return handing.recent(position) !== undefined
  } catch {
    return false
  }
}
