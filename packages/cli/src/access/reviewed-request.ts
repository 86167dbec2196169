import { verbs } from '@pergola/api'
import { nearestOf } from '../server/nearest.ts'
import type { KnownResource } from '../server/known-resource.ts'
import { findResource } from '../server/resources.ts'
import { usedWrongly } from '../terminal/command-fault.ts'

/** Arguments of `can-i` and `who-can`. */
export interface Question {
  readonly verb: string
  /** A resource, `<resource>/<sub-resource>`, or a path. */
  readonly resource: string
  readonly name?: string | undefined
}

/** Request body of an access review. */
export type ReviewedRequest =
  | { readonly verb: string; readonly path: string }
  | {
      readonly verb: string
      readonly group: string
      readonly resource: string
      readonly subresource?: string
      readonly name?: string
    }

/** Resolves the resource. A resource that is not a model, such as a custom API, must include its group. */
export function reviewedRequest(question: Question, known: readonly KnownResource[]): ReviewedRequest {
  const { verb, resource: asked, name } = question
  if (!(verbs as readonly string[]).includes(verb)) {
    const near = nearestOf(verb, verbs)
    const words = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `verbs are ${verbs.join(', ')}`
    throw usedWrongly(`"${verb}" is not a verb; ${words}`)
  }
  if (asked.startsWith('/')) {
    if (name !== undefined) throw usedWrongly(`a path has no names; "${name}" is one too many`)
    return { verb, path: asked }
  }
  const [, plural = '', subresource, group] = /^([^./]+)(?:\/([^.]+))?(?:\.(.+))?$/.exec(asked) ?? []
  if (plural === '') throw usedWrongly(`"${asked}" is no resource; write todos, todos/status or todos.todo.example.com`)
  const parts = { ...(subresource !== undefined && { subresource }), ...(name !== undefined && { name }) }
  const isKnown = known.some((one) => one.group === group && [one.plural, one.singular].includes(plural))
  if (group !== undefined && !isKnown) return { verb, group, resource: plural, ...parts }
  const found = findResource(known, group === undefined ? plural : `${plural}.${group}`)
  return { verb, group: found.group, resource: found.plural, ...parts }
}
