import { RE2JS } from 're2js'

/**
 * Backtracking made one 24-character value block the process for 2.3 s; this engine's time grows with the value times the
 * pattern, and that much is bounded for each object: a step takes 10 to 100 ns.
 */
const maxSteps = 2_000_000
/** Of all patterns of a schema: they are compiled here, some 10 µs each instruction. */
export const maxInstructions = 20_000

let steps = 0

/** What is matched in the work counts as of one value. */
export function boundedMatching<Found>(work: () => Found): Found {
  steps = 0
  return work()
}

/** A pattern as schema compilers want it: they tell patterns apart by their text. */
interface Pattern {
  test(value: string): boolean
  toString(): string
}

/** Compiled when it is first matched: a schema that is loaded may have many. */
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

/** Throws what is wrong with the pattern. */
function compiledPattern(pattern: string): Pattern {
  instructionsOf(pattern)
  return loadedPattern(pattern)
}

export const linearTimeRegExp = Object.assign(compiledPattern, { code: 'require("linear-time-regexp")' })

/** How large a pattern is for the engine; throws what is wrong with it. */
export function instructionsOf(pattern: string): number {
  return RE2JS.compile(pattern).programSize()
}

/** The texts of a value are too long for the patterns that they are held against. */
export class TooLongForPatterns extends Error {
  override readonly name = 'TooLongForPatterns'
}
