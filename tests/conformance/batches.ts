import { jsonPatch, mergePatch, thing, type Collection, type StoredThing } from './collection.ts'
import { expectStatus, type Answer } from './request.ts'

export const batches = '/apis/api.platform.run/v1alpha1/batches'

export type Operation = Readonly<Record<string, unknown>>

export const inCore = { apiVersion: 'v1alpha1' }
export const createIn = (resource: string, object: unknown): Operation => ({
  verb: 'create',
  ...inCore,
  resource,
  object,
})
export const deleteIn = (resource: string, name: string): Operation => ({ verb: 'delete', ...inCore, resource, name })

interface Operations {
  readonly create: (object?: unknown) => Operation
  readonly update: (name: string, object: unknown) => Operation
  readonly patch: (name: string, object: unknown) => Operation
  /** With the metadata that is expected. */
  readonly delete: (name: string, metadata?: object) => Operation
}

/** Operations on the objects of a model. */
export function on({ spec: { group, plural, versions } }: Collection): Operations {
  const target = { apiVersion: `${group}/${versions[0]?.name}`, resource: plural }
  return {
    create: (object = thing()) => ({ verb: 'create', ...target, object }),
    update: (name, object) => ({ verb: 'update', ...target, name, object }),
    patch: (name, object) => ({
      verb: 'patch',
      ...target,
      name,
      object,
      patchType: Array.isArray(object) ? jsonPatch : mergePatch,
    }),
    delete: (name, metadata) => {
      return { verb: 'delete', ...target, name, ...(metadata && { object: { metadata } }) }
    },
  }
}

/** Where the errors of an answer point. */
export function pointers({ body }: Answer): readonly string[] {
  return ((body as { readonly errors?: readonly { readonly pointer: string }[] }).errors ?? []).map(
    ({ pointer }) => pointer,
  )
}

/** The results of a batch that must be done. */
export function results(answer: Answer): readonly StoredThing[] {
  expectStatus(answer, 200)
  return (answer.body as { readonly results: readonly StoredThing[] }).results
}
