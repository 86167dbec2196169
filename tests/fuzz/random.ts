/** Random numbers from a seed, so that a run can be repeated. */
export interface Random {
  /** From 0 up to, not including, 1. */
  fraction(): number
  /** Both ends included. */
  whole(from: number, to: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly T[]): T
  /** A seed for another generator. */
  seed(): number
}

/** The generator "mulberry32" with 32 bits of state. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (from: number, to: number) => from + Math.floor(fraction() * (to - from + 1))
  return {
    fraction,
    whole,
    chance: (probability) => fraction() < probability,
    pick: <T>(from: readonly T[]): T => {
      if (from.length === 0) throw new Error('there is nothing to pick from')
      return from[whole(0, from.length - 1)] as T
    },
    seed: () => whole(1, 2 ** 31 - 1),
  }
}
