import type { SeenObject, Selection } from './history.ts'
import { quietName, hotName, teamLabel } from './things.ts'

const team = ({ metadata }: SeenObject) => metadata.labels?.[teamLabel]
const tags = ({ spec }: SeenObject) => (spec['tags'] ?? []) as readonly string[]
const isAlive = ({ metadata }: SeenObject) => metadata.deletionTimestamp === undefined

const everything: Selection = { name: 'everything', query: {}, selects: () => true }

export const selections: readonly Selection[] = [
  everything,
  { name: 'team a', query: { labelSelector: `${teamLabel}=a` }, selects: (object) => team(object) === 'a' },
  { name: 'not team a', query: { labelSelector: `${teamLabel}!=a` }, selects: (object) => team(object) !== 'a' },
  { name: 'no team', query: { labelSelector: `!${teamLabel}` }, selects: (object) => team(object) === undefined },
  { name: 'in Rome', query: { fieldSelector: 'spec.city=Rome' }, selects: ({ spec }) => spec['city'] === 'Rome' },
  {
    name: 'Rome or Oslo',
    query: { fieldSelector: 'spec.city=(Rome,Oslo)' },
    selects: ({ spec }) => spec['city'] === 'Rome' || spec['city'] === 'Oslo',
  },
  { name: 'over 4', query: { fieldSelector: 'spec.age>4' }, selects: ({ spec }) => Number(spec['age'] ?? 0) > 4 },
  { name: 'tagged x', query: { fieldSelector: 'spec.tags=x' }, selects: (object) => tags(object).includes('x') },
  { name: 'not tagged x', query: { fieldSelector: 'spec.tags!=x' }, selects: (object) => !tags(object).includes('x') },
  { name: 'alive', query: { fieldSelector: '!metadata.deletionTimestamp' }, selects: isAlive },
  {
    name: 'alive of team b in Rome',
    query: { labelSelector: `${teamLabel}=b`, fieldSelector: 'spec.city=Rome,!metadata.deletionTimestamp' },
    selects: (object) => team(object) === 'b' && object.spec['city'] === 'Rome' && isAlive(object),
  },
  single(hotName(0)),
  single(quietName),
]

function single(name: string): Selection {
  return { name: `the object ${name}`, object: name, query: {}, selects: ({ metadata }) => metadata.name === name }
}
