import { createRequire } from 'node:module'
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { FieldError } from '@pergola/api'
import { cloneJson } from '../base/clone-json.ts'
import { deepEqual } from '../base/deep-equal.ts'
import { createAjv, type Thoroughness } from './compile-schema.ts'
import { fieldError, movedTo, step, valueAt } from '../call/field-error.ts'
import { violationMessage } from './violation-message.ts'
import { withoutFormNoise } from './form-noise.ts'
import { boundedMatching, linearTimeRegExp, loadedPattern, TooLongForPatterns } from './linear-regexp.ts'
import type { JsonSchema } from './object-schema.ts'

interface ValidateOptions {
  /**
   * The stored object. An error that it also has, with the same value, is ignored: the schema may have become stricter since,
   * and stored objects must stay writable.
   */
  readonly stored?: unknown
}

/**
 * Fills in defaults and returns every error: first those of the structure (types, required and unknown fields), then the
 * violated constraints of values whose structure is correct.
 */
export type Validate = (value: unknown, options?: ValidateOptions) => Promise<readonly FieldError[]>

/** Maximum number of reported errors. */
export const maxFaults = 100
/**
 * A larger value gets only the first error of each stage: one megabyte of wrong array items would make half a million errors, 1.6 s of work
 * and an answer of 64 MB.
 */
const maxValuesForAllFaults = 5_000

interface Stages {
  readonly structure: ValidateFunction
  readonly full: ValidateFunction
}

/** Compiles a schema, here or in a separate thread. */
export type CompileProgram = (thoroughness: Thoroughness) => Promise<string>

/** A validator for a model. Compiles the program that stops at the first error only once a large object needs it. */
export async function createValidate(compile: CompileProgram): Promise<Validate> {
  const every = runProgram(await compile('every fault'))
  let first: Stages | undefined
  return async (value, options) => {
    if (!isLarge(value)) return faultsOf(every, value, options)
    first ??= runProgram(await compile('first fault'))
    const faults = faultsOf(first, value)
    return faults.length === 0 || options?.stored === undefined ? faults : faultsOf(every, value, options)
  }
}

/** Compiles a schema of the host, checked in one stage. */
export function compileSchema(schema: JsonSchema): (value: unknown) => readonly FieldError[] {
  const compile = (allErrors: boolean): Stages => {
    // The host's schemas are constants, so checking them against the draft is unnecessary.
    const options = { allErrors, validateSchema: false, code: { regExp: linearTimeRegExp } }
    const full = createAjv(options).compile(schema)
    return { structure: full, full }
  }
  const every = compile(true)
  let first: Stages | undefined
  return (value) => faultsOf(isLarge(value) ? (first ??= compile(false)) : every, value)
}

const ownRequire = createRequire(import.meta.url)

const load = (name: string): unknown => (name === 'linear-time-regexp' ? loadedPattern : ownRequire(name))

/** The text comes from our compiler, which escapes the schema. */
function runProgram(text: string): Stages {
  const module: { exports: Partial<Stages> } = { exports: {} }
  // oxlint-disable-next-line typescript/no-implied-eval -- made by the schema compiler
  new Function('require', 'exports', 'module', text)(load, module.exports, module)
  const { structure, full } = module.exports
  if (!structure || !full) throw new Error('a compiled schema has no stages')
  return { structure, full }
}

function faultsOf(stages: Stages, value: unknown, options?: ValidateOptions): readonly FieldError[] {
  try {
    return boundedMatching(() => findFaults(stages, value, options))
  } catch (error) {
    if (!(error instanceof TooLongForPatterns)) throw error
    const words =
      'has texts that are too long for the patterns of the schema; shorten them, or give such fields a maxLength'
    return [fieldError('', 'pattern', words)]
  }
}

function findFaults(
  { structure, full }: Stages,
  value: unknown,
  { stored }: ValidateOptions = {},
): readonly FieldError[] {
  if (full(value)) return []
  const freshFaults = (stage: ValidateFunction) => {
    const faults = stage(value) ? [] : toFieldErrors(stage)
    return stored === undefined ? faults : withoutOld(faults, value, { stage, stored })
  }
  const structural = freshFaults(structure)
  if (structure === full || structural.length >= maxFaults) return structural.slice(0, maxFaults)
  const constraints = freshFaults(full).filter((fault) => !isConsequence(fault, structural))
  return [...structural, ...constraints].slice(0, maxFaults)
}

/** Keywords whose result depends on everything inside the value. */
const deepKeywords = new Set(['oneOf', 'anyOf', 'not', 'contains', 'const', 'enum'])

/** Whether a structural error above the value, or inside it for a deep keyword, already explains this error. */
function isConsequence({ pointer = '', rule }: FieldError, structural: readonly FieldError[]): boolean {
  return structural.some(({ pointer: place = '' }) => {
    return `${pointer}/`.startsWith(`${place}/`) || (deepKeywords.has(rule) && `${place}/`.startsWith(`${pointer}/`))
  })
}

/** Removes errors that the stored object also has, at the same location and for the same value. */
function withoutOld(
  faults: readonly FieldError[],
  value: unknown,
  { stage, stored }: { readonly stage: ValidateFunction; readonly stored: unknown },
): readonly FieldError[] {
  // A copy, because defaults are filled in.
  if (faults.length === 0 || stage(cloneJson(stored))) return faults
  const old = new Set(toFieldErrors(stage).map(identity))
  return faults.filter(
    (fault) =>
      !old.has(identity(fault)) ||
      !deepEqual(valueAt(value, fault.pointer ?? ''), valueAt(stored, fault.pointer ?? '')),
  )
}

function isLarge(value: unknown): boolean {
  return valuesIn(value, maxValuesForAllFaults) >= maxValuesForAllFaults
}

/** The number of values in a JSON value, itself included; stops counting at `limit`. */
function valuesIn(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const item of Object.values(value)) {
    if (count >= limit) return count
    count += valuesIn(item, limit - count)
  }
  return count
}

/** Removes duplicates: a part of a composed schema and the whole may report the same unknown field. */
function toFieldErrors({ errors }: ValidateFunction): readonly FieldError[] {
  const faults = withoutFormNoise(errors ?? [])
    .filter(isCause)
    .map(toFieldError)
  return [...new Map(faults.map((fault) => [identity(fault), fault])).values()]
}

function identity({ pointer, rule, message }: FieldError): string {
  return `${pointer} ${rule} ${message}`
}

/**
 * A failed `if` only repeats that its branch failed, and fields named by a failed part of a composed schema count as unknown.
 */
function isCause({ keyword, instancePath }: ErrorObject, _: number, all: readonly ErrorObject[]): boolean {
  if (keyword !== 'unevaluatedProperties') return keyword !== 'if'
  return !all.some((other) => other.keyword !== keyword && other.instancePath.startsWith(instancePath))
}

function toFieldError(error: ErrorObject): FieldError {
  const { instancePath, keyword } = error
  const params = error.params as Record<string, unknown>
  switch (keyword) {
    case 'required':
      return fieldError(step(instancePath, String(params['missingProperty'])), 'required', 'is required')
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const field = String(params['additionalProperty'] ?? params['unevaluatedProperty'])
      return fieldError(step(instancePath, field), 'unknown', 'is not a known field')
    }
    case 'oneOf':
    case 'anyOf':
    case 'not':
      return fieldError(instancePath, keyword, violationMessage(keyword, params, error.message))
    default:
      return movedTo(instancePath, {
        field: '',
        rule: keyword,
        message: violationMessage(keyword, params, error.message),
        params,
      })
  }
}
