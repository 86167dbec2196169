import { WriteConflict } from './write-conflict.ts'

const maxTries = 20

/**
 * Does work that reads and writes, and repeats it if another write came first. Throws other errors, and
 * the conflict of the last attempt.
 */
export async function retryRaces<Done>(
  work: () => Promise<Done>,
  isLost: (error: unknown) => boolean = (error) => error instanceof WriteConflict,
): Promise<Done> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!isLost(error) || tries === maxTries) throw error
    }
  }
}

/** Another write changed, deleted or replaced the object that was read. */
export function isStale(error: unknown): error is WriteConflict {
  return error instanceof WriteConflict && (error.kind === 'version' || error.kind === 'uid')
}
