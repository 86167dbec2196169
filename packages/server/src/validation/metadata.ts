import { isHostFinalizer, namingFault, type FieldError, type NamingFault, type NamingRule } from '@pergola/api'
import { fieldError, limitError, movedTo, step } from '../call/field-error.ts'
import { compileSchema } from './schema-validator.ts'

export const maxLabels = 64
export const maxFinalizers = 32
export const maxAnnotationBytes = 256 * 1024

/** Metadata as a client may send it: server-owned fields are allowed and later ignored, so their types are open. */
const validateShape = compileSchema({
  type: 'object',
  properties: {
    name: { type: 'string' },
    generateName: { type: 'string' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    annotations: { type: 'object', additionalProperties: { type: 'string' } },
    finalizers: { type: 'array', items: { type: 'string' } },
    uid: {},
    creationTimestamp: {},
    version: {},
    generation: {},
    deletionTimestamp: {},
  },
  additionalProperties: false,
})

export interface SentMetadata {
  readonly name?: string
  readonly generateName?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
}

/** Finalizers that only the host adds or removes. */
export function hostFinalizerErrors(metadata: SentMetadata, stored: SentMetadata | undefined): readonly FieldError[] {
  return (metadata.finalizers ?? []).flatMap((finalizer, at) => {
    if (!isHostFinalizer(finalizer) || stored?.finalizers?.includes(finalizer)) return []
    return [
      fieldError(
        `/metadata/finalizers/${at}`,
        'reserved',
        'begins with platform.run/, which is reserved for the server',
      ),
    ]
  })
}

/**
 * Checks names, keys and limits of metadata that is about to be stored. Structure first: only well-formed metadata is checked
 * further.
 */
export function metadataErrors(metadata: unknown): readonly FieldError[] {
  const shape = validateShape(metadata)
  if (shape.length > 0) return shape.map((error) => below('/metadata', error))
  const sent = metadata as SentMetadata
  const tooMuch = boundErrors(sent)
  // Skip per-item checks once a limit is exceeded: comparing 30,000 finalizers with each other took 3 s.
  if (tooMuch.length > 0) return [...nameErrors(sent), ...tooMuch]
  return [
    ...nameErrors(sent),
    ...Object.entries(sent.labels ?? {}).flatMap(([key, value]) => [
      ...faults(step('/metadata/labels', key), 'key', namingFault('key', key)),
      ...faults(step('/metadata/labels', key), 'labelValue', namingFault('labelValue', value)),
    ]),
    ...Object.keys(sent.annotations ?? {}).flatMap((key) =>
      faults(step('/metadata/annotations', key), 'key', namingFault('key', key)),
    ),
    ...(sent.finalizers ?? []).flatMap((finalizer, at, all) =>
      faults(`/metadata/finalizers/${at}`, 'finalizer', namingFault('finalizer', finalizer) ?? repeatFault(all, at)),
    ),
  ]
}

function repeatFault(all: readonly string[], at: number): NamingFault | undefined {
  return all.indexOf(all[at] ?? '') < at ? { message: 'is a duplicate', params: { fault: 'duplicate' } } : undefined
}

function nameErrors({ name, generateName }: SentMetadata): readonly FieldError[] {
  if (name !== undefined) return faults('/metadata/name', 'name', namingFault('name', name))
  if (generateName === undefined) {
    return [
      fieldError('/metadata/name', 'required', 'is required; or send metadata.generateName to have a name generated'),
    ]
  }
  // The generated suffix is always valid, so the prefix is checked with one in place.
  return faults('/metadata/generateName', 'name', namingFault('name', `${generateName}00000000`))
}

function boundErrors({ labels = {}, annotations = {}, finalizers = [] }: SentMetadata): readonly FieldError[] {
  const annotationBytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  )
  const bounds = [
    { field: 'labels', found: Object.keys(labels).length, limit: maxLabels, unit: 'labels' },
    { field: 'annotations', found: annotationBytes, limit: maxAnnotationBytes, unit: 'bytes' },
    { field: 'finalizers', found: finalizers.length, limit: maxFinalizers, unit: 'finalizers' },
  ]
  return bounds
    .filter(({ found, limit }) => found > limit)
    .map(({ field, ...bound }) => limitError(`/metadata/${field}`, bound))
}

function faults(pointer: string, rule: NamingRule, fault: NamingFault | undefined): readonly FieldError[] {
  return fault === undefined ? [] : [fieldError(pointer, rule, fault)]
}

function below(parent: string, error: FieldError): FieldError {
  return movedTo(`${parent}${error.pointer}`, error)
}
