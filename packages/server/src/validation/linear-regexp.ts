import { RE2JS } from 're2js'

/**
 * Backtracking made one 24-character value block the process for 2.3 s. This engine's time grows with the value times the
 * pattern, and that is bounded per object: a step takes 10 to 100 ns.
 */
const maxSteps = 2_000_000
/** Limit for all patterns of a schema: they are compiled here, some 10 µs per instruction. */
export const maxInstructions = 20_000

let steps = 0

/** All matching in `work` shares one step budget. */
export function boundedMatching<Found>(work: () => Found): Found {
  steps = 0
  return work()
}

/** A pattern with the interface that schema compilers need: they identify patterns by their text. */
interface Pattern {
  test(value: string): boolean
  toString(): string
}

/** Compiled on first use: a loaded schema may have many patterns. */
export function loadedPattern(pattern: string): Pattern {
  let compiled: { readonly regExp: RE2JS; readonly size: number } | undefined
  return {
    test: (value) => {
      if (!compiled) {
        const regExp = RE2JS.compile(pattern)
        compiled = { regExp, size: regExp.programSize() }
      }
      steps += compiled.size * value.length
      if (steps > maxSteps) throw new TooLongForPatterns('texts and patterns take too many steps to match')
      return compiled.regExp.test(value)
    },
    toString: () => pattern,
  }
}

/** Throws errors in the pattern. */
function compiledPattern(pattern: string): Pattern {
  instructionsOf(pattern)
  return loadedPattern(pattern)
}

export const linearTimeRegExp = Object.assign(compiledPattern, { code: 'require("linear-time-regexp")' })

/** The size of a pattern in the engine; throws errors in the pattern. */
export function instructionsOf(pattern: string): number {
  return RE2JS.compile(pattern).programSize()
}

/** The texts of a value are too long for the patterns of its schema. */
export class TooLongForPatterns extends Error {
  override readonly name = 'TooLongForPatterns'
}
