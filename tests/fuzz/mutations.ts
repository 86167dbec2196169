import type { Random } from './random.ts'
import { anyText } from './schema-values.ts'

type Step = string | number

/** A copy of the value with one random change; the result may be valid or not. */
export function mutated(value: unknown, random: Random): { readonly value: unknown; readonly what: string } {
  const copy = structuredClone(value)
  const places = placesIn(copy, [])
  const [holder, key] = random.pick(places)
  const { name, change } = random.pick(changes)
  change({ holder, key, random })
  return { value: copy, what: `${name} at ${key}` }
}

type Holder = Record<Step, unknown>

interface LogPosition {
  readonly holder: Holder
  readonly key: Step
  readonly random: Random
}

/** All positions in a value, each with its container. */
function placesIn(value: unknown, found: [Holder, Step][]): [Holder, Step][] {
  if (typeof value !== 'object' || value === null) return found
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    found.push([value as Holder, key])
    placesIn((value as Holder)[key], found)
  }
  return found
}

const otherTypes: readonly unknown[] = [null, true, 0, -1, 1.5, '', 'x', [], {}, [null], { x: 1 }, [[]]]

const changes: readonly { readonly name: string; readonly change: (place: LogPosition) => void }[] = [
  { name: 'wrong type', change: ({ holder, key, random }) => (holder[key] = structuredClone(random.pick(otherTypes))) },
  {
    name: 'left out',
    change: ({ holder, key }) => {
      if (Array.isArray(holder)) holder.splice(Number(key), 1)
      else delete holder[key]
    },
  },
  {
    name: 'unknown field',
    change: ({ holder, key, random }) => {
      const at = holder[key]
      const target = typeof at === 'object' && at !== null && !Array.isArray(at) ? (at as Holder) : holder
      if (!Array.isArray(target)) target[random.pick(['unknown', 'constructor', 'toString', 'valueOf', 'Spec'])] = 1
    },
  },
  { name: 'too long', change: ({ holder, key }) => (holder[key] = 'x'.repeat(700)) },
  { name: 'too large', change: ({ holder, key, random }) => (holder[key] = random.pick([1e15, -1e15, 2 ** 31, 0.1])) },
  { name: 'too many', change: ({ holder, key }) => (holder[key] = Array.from({ length: 300 }, (_, at) => at)) },
  { name: 'another text', change: ({ holder, key, random }) => (holder[key] = anyText(random, random.whole(0, 30))) },
]
