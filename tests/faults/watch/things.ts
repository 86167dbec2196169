import type { Random } from '../../fuzz/random.ts'

export const group = 'history.example.com'
export const kind = 'Thing'
export const plural = 'things'
export const collection = `/apis/${group}/v1/${plural}`
export const teamLabel = 'example.com/team'

/** Changed constantly; the others occasionally; the quiet one so rarely that its readers get bookmarks. */
const hotNames = 40
/** More than a page of present objects. */
const coldNames = 500
export const quietName = 'quiet'
export const largeNames: readonly string[] = ['large-0', 'large-1', 'large-2']

export const hotName = (at: number): string => `h-${String(at).padStart(2, '0')}`
const coldName = (at: number): string => `c-${String(at).padStart(3, '0')}`
export const presentNames: readonly string[] = [
  ...Array.from({ length: hotNames }, (_, at) => hotName(at)),
  ...Array.from({ length: coldNames }, (_, at) => coldName(at)),
  quietName,
  ...largeNames,
]

export function anyName(random: Random): string {
  return random.chance(0.6) ? hotName(random.whole(0, hotNames - 1)) : coldName(random.whole(0, coldNames - 1))
}

const cities = ['Rome', 'Oslo', 'Bern']

/** Selected fields change often, so that objects enter and leave selections. */
export function anySpec(random: Random, mark: string): Record<string, unknown> {
  return {
    mark,
    city: random.pick(cities),
    age: random.whole(0, 9),
    ...(random.chance(0.8) && { tags: ['x', 'y', 'z'].filter(() => random.chance(0.4)) }),
    filling: 'x'.repeat(random.chance(0.05) ? random.whole(2_000, 12_000) : random.whole(0, 400)),
  }
}

/** Large enough to overflow the buffers to a reader that has stopped reading. */
export function largeSpec(mark: string): Record<string, unknown> {
  return { mark, city: 'Bern', filling: 'x'.repeat(200_000) }
}

export function anyMetadata(random: Random): Record<string, unknown> {
  const chosen = random.pick(['a', 'a', 'b', undefined])
  return {
    ...(chosen !== undefined && { labels: { [teamLabel]: chosen } }),
    ...(random.chance(0.1) && { finalizers: ['example.com/hold'] }),
  }
}

export const modelBody = {
  apiVersion: 'plugin.platform.run/v1alpha1',
  kind: 'Model',
  metadata: {},
  spec: {
    group,
    kind,
    singular: 'thing',
    plural,
    specRequired: true,
    statusSubresource: true,
    versions: [
      {
        name: 'v1',
        schema: {
          properties: {
            spec: {
              type: 'object',
              properties: {
                mark: { type: 'string' },
                city: { type: 'string' },
                age: { type: 'integer' },
                tags: { type: 'array', items: { type: 'string' } },
                filling: { type: 'string' },
              },
            },
            status: { type: 'object', properties: { phase: { type: 'string' } } },
          },
        },
      },
    ],
    indexes: [{ name: 'spec.city' }, { name: 'spec.age' }, { name: 'spec.tags' }],
  },
}
