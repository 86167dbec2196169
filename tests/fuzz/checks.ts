import { operationOf, type Documents } from './documents.ts'
import type { Answer } from './sender.ts'
import type { Shot } from './shot.ts'

const slowMs = 5_000

/** Statuses with Retry-After of a busy server; allowed and counted. */
const passing = new Set(['IndexBuilding', 'Unavailable'])

interface ProblemBody {
  readonly reason?: string
  readonly errors?: readonly { readonly rule: string }[]
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** All faults of a response; equal faults have equal texts. */
export function faultsOf(documents: Documents, shot: Shot, answer: Answer): readonly string[] {
  const { status, failure, ms } = answer
  // The server may close the connection on bytes that are not HTTP.
  if (status === 0) return shot.bytes ? [] : [`no answer: ${failure}`]
  const faults: string[] = []
  if (ms > slowMs) faults.push(`answered after more than ${slowMs / 1000} s`)
  if (status >= 500 && !isPassing(answer)) faults.push(`answered ${status}`)
  faults.push(...asDocumented(documents, shot, answer), ...asExpected(shot, answer))
  return faults
}

export function isPassing({ status, headers, text }: Answer): boolean {
  const { reason = '' } = (parsed(text) ?? {}) as ProblemBody
  return status === 503 && passing.has(reason) && headers['retry-after'] !== undefined
}

/** Checks that the OpenAPI document lists the status and that the body matches its schema. */
function asDocumented({ operations }: Documents, shot: Shot, answer: Answer): readonly string[] {
  const { line } = shot
  const operation = shot.bytes ? undefined : operationOf(operations, line.method, line.path)
  const { status, headers, text } = answer
  const type = headers['content-type']?.split(';')[0] ?? ''
  if (!operation) {
    // No document describes this path; an error must still be a problem.
    const isRefusal = status >= 400 && !shot.bytes && line.method !== 'HEAD'
    return isRefusal && type !== 'application/problem+json' ? [`refused with ${status} as "${type}", no problem`] : []
  }
  // A stream does not end, so its body is not checked.
  if (status === 200 && type === operation.streamType) return []
  const content = operation.answers.get(status)
  if (!content) return [`${operation.id} has no ${status} (${reasonOf(text)}) in its document`]
  if (line.method === 'HEAD' || content.size === 0) return text === '' ? [] : [`${operation.id} ${status} has a body`]
  const validate = content.get(type)
  if (!validate) return [`${operation.id} ${status} is "${type}", not ${[...content.keys()].join()}`]
  if (validate(type.endsWith('json') ? parsed(text) : text)) return []
  const [error] = validate.errors ?? []
  return [`${operation.id} ${status} is not as documented: ${error?.instancePath} ${error?.message}`]
}

function reasonOf(text: string): string {
  return ((parsed(text) ?? {}) as ProblemBody).reason ?? 'no reason'
}

function asExpected({ expected, check }: Shot, answer: Answer): readonly string[] {
  const { status, text } = answer
  if (expected === 'refused')
    return status >= 400 && status < 500 ? [] : [`accepted with ${status}, though it is wrong`]
  const isAccepted = status < 400
  if (expected === 'accepted' && !isAccepted && !isPassing(answer) && !mayBeRefused(answer)) {
    return [`refused with ${status} ${reasonOf(text)}, though it is right`]
  }
  const fault = isAccepted ? check?.(parsed(text), answer) : undefined
  return fault === undefined ? [] : [fault]
}

/** Rejections that no schema describes: conflicts with other objects or requests, and values that an index cannot hold. */
function mayBeRefused({ status, text }: Answer): boolean {
  const { reason, errors = [] } = (parsed(text) ?? {}) as ProblemBody
  if (status === 422) return errors.length > 0 && errors.every(({ rule }) => rule === 'index')
  return status === 429 || reason === 'DuplicateIndexValue'
}
