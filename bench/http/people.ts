/** The measured model: three single-value indexes, one of them unique, one multi-value index, three labels. */
export const group = 'bench.example.com'
export const people = 'people'
export const peoplePath = `/apis/${group}/v1/${people}`

export function modelOf(plural: string, kind: string): object {
  const text = { type: 'string', maxLength: 400 }
  return {
    spec: {
      group,
      kind,
      singular: plural.replace(/s?$/, 'one'),
      plural,
      specRequired: true,
      versions: [
        {
          name: 'v1',
          schema: {
            properties: {
              spec: {
                type: 'object',
                required: ['city', 'email'],
                properties: {
                  city: { ...text, minLength: 1 },
                  age: { type: 'integer', minimum: 0, maximum: 150 },
                  email: { type: 'string', format: 'email' },
                  tags: { type: 'array', maxItems: 8, items: { type: 'string', pattern: '^[a-z0-9-]+$' } },
                  about: text,
                },
              },
            },
          },
        },
      ],
      indexes: [
        { name: 'spec.city' },
        { name: 'spec.age' },
        { name: 'spec.email', unique: true },
        { name: 'spec.tags' },
      ],
      composites: [['spec.city', 'spec.age']],
    },
  }
}

export const cities = 100

/** A person of some 600 bytes. */
export interface Person {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly spec: {
    readonly city: string
    readonly age: number
    readonly email: string
    readonly tags: readonly string[]
    readonly about: string
  }
}

export function personOf(at: number, more: object = {}, salt = 0): Person {
  return {
    metadata: {
      name: `p-${at}`,
      labels: { 'example.com/team': `team-${at % 3}`, 'example.com/tier': 'free', 'example.com/zone': `z${at % 7}` },
      ...more,
    },
    spec: {
      city: `city-${at % cities}`,
      age: (at + salt) % 100,
      email: `p${at}@example.com`,
      tags: [`tag-${at % 500}`, `tag-${(at * 3 + 1) % 500}`, `tag-${(at * 7 + 2) % 500}`],
      about: `${salt} ${'x'.repeat(300)}`,
    },
  }
}
