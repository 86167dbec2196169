/** A row of the compared collection; `name` and `email` from its number. */
export interface Person {
  readonly name: string
  readonly email: string
  readonly age: number
  readonly tags: readonly string[]
  readonly city: string
}

export const cities = 100

/** A person besides the stored ones, who is in no listed city. */
export function newPerson(key: string): Person {
  return { name: `New ${key}`, email: `${key}@example.com`, age: 30, tags: ['x', 'y', 'z'], city: 'elsewhere' }
}

/** The people numbered $1 to $2: 100 cities, 60 ages in each. */
export const peopleSql = `
  SELECT i, 'Person ' || i AS name, 'p' || i || '@example.com' AS email, (18 + i * 7919 / 100 % 60)::int AS age,
    '["a", "b", "c"]'::jsonb AS tags, 'city-' || i % ${cities} AS city
  FROM generate_series($1::bigint, $2::bigint) i`

/** What every list needs; the same for all, whatever the product declares itself. */
export const listIndexSql = 'CREATE INDEX IF NOT EXISTS persons_city_age ON persons (city, age)'
