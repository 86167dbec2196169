import type { BuildOptions, IndexedValues, ModelDeclaration } from '../../../packages/server/src/store/store.ts'

/** The model that gets another index, and a set, while it is in use. */
export const beforeIndexes: ModelDeclaration = {
  group: 'example.com',
  plural: 'people',
  indexes: [{ name: 'city' }, { name: 'age' }, { name: 'email', unique: true }],
}

export const withIndex: ModelDeclaration = {
  ...beforeIndexes,
  edition: 1,
  indexes: [...beforeIndexes.indexes, { name: 'country' }],
}

export const withSet: ModelDeclaration = {
  ...withIndex,
  edition: 2,
  indexes: [...withIndex.indexes, { name: 'roles', multi: true }],
}

export interface Person {
  readonly city: string
  readonly age: string
  readonly email: string
  readonly country: string
  readonly roles: readonly string[]
  readonly filling: string
}

export function personOf(at: number, salt = 0): Person {
  const [a, b] = [(at * 7919 + salt) % 1_000, (at * 31 + salt) % 100]
  const roles = [`role-${a % 50}`, `role-${50 + (b % 50)}`]
  const filling = 'x'.repeat(380)
  return {
    city: `city-${a}`,
    age: `age-${b}`,
    email: `p${at}@example.com`,
    country: `country-${a % 200}`,
    roles,
    filling,
  }
}

export function indexedOf({ city, age, email, country, roles }: Person): IndexedValues {
  return { labels: { team: `team-${city.length}` }, single: { city, age, email, country }, multi: { roles } }
}

export const build: BuildOptions = {
  evaluate: async (objects) => objects.map(({ data }) => indexedOf(JSON.parse(String(data)) as Person)),
}
