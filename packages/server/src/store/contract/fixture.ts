import { randomUUID } from 'node:crypto'
import { uuidv7 } from '../../base/uuid.ts'
import type {
  Change,
  CreateOperation,
  IndexedValues,
  ModelDeclaration,
  Revision,
  Store,
  StoredObject,
  UpdateOperation,
} from '../store.ts'

/** Opens a store on an empty database. `reopen` opens another store on the same database. */
export interface StoreFixture extends AsyncDisposable {
  readonly store: Store
  reopen(): Promise<Store>
}

export interface StoreEngine {
  readonly name: string
  /** Whether several stores can be open on one database. */
  readonly shared: boolean
  makeFixture(options?: FixtureOptions): Promise<StoreFixture>
}

export interface FixtureOptions {
  /** A log with very small partitions, so that few changes fill several. */
  readonly smallLog?: boolean
}

export const people: ModelDeclaration = {
  group: 'example.com',
  plural: 'people',
  indexes: [
    { name: 'city' },
    { name: 'age' },
    { name: 'email', unique: true },
    { name: 'tags', multi: true },
    { name: 'badges', multi: true, unique: true },
  ],
  composites: [[{ index: 'city' }, { index: 'age', descending: true }]],
}

export const places: ModelDeclaration = { group: 'example.com', plural: 'places', indexes: [] }

export interface Person {
  readonly name: string
  readonly text?: string
  readonly held?: boolean
  readonly labels?: Readonly<Record<string, string>>
  readonly city?: string | undefined
  readonly age?: string | undefined
  readonly email?: string | undefined
  readonly tags?: readonly string[]
  readonly badges?: readonly string[]
}

export function create(person: Person | string, model: ModelDeclaration = people): CreateOperation {
  const given = typeof person === 'string' ? { name: person } : person
  return { type: 'create', model, name: given.name, uid: uuidv7(Date.now()), content: contentOf(given) }
}

export function update(stored: StoredObject, changes: Omit<Person, 'name'>): UpdateOperation {
  return {
    type: 'update',
    model: people,
    name: stored.name,
    expected: { uid: stored.uid, version: stored.version },
    content: contentOf({ name: stored.name, ...changes }),
    newGeneration: false,
  }
}

export function contentOf({ name, text = name, held = false, ...person }: Person): CreateOperation['content'] {
  return { data: Buffer.from(text), storedAs: 'v1', held, indexed: indexedOf(person) }
}

function indexedOf({ labels = {}, city, age, email, tags = [], badges = [] }: Omit<Person, 'name'>): IndexedValues {
  return { labels, single: { city, age, email }, multi: { tags, badges } }
}

/** A fixture with the models of this suite open. */
export async function openFixture(engine: StoreEngine, options: FixtureOptions = {}): Promise<StoreFixture> {
  const fixture = await engine.makeFixture(options)
  await fixture.store.openModel(people)
  await fixture.store.openModel(places)
  return fixture
}

export async function mustGet(store: Store, name: string): Promise<StoredObject> {
  const stored = await store.get(people, name)
  if (!stored) throw new Error(`there is no "${name}"`)
  return stored
}

/** The names of all objects, oldest first. */
export async function allNames(store: Store): Promise<string[]> {
  const { items } = await store.list(people, { limit: 100_000, total: 'none' })
  return items.map(({ name }) => name).toReversed()
}

export const someUid = (): string => randomUUID()

export async function drain(store: Store, after: Revision, count: number, limit = 1_000): Promise<Change[]> {
  const changes: Change[] = []
  let place = after
  while (changes.length < count) {
    const batch = await store.readChanges(place, { limit, waitMs: 5_000 })
    if (batch.changes.length === 0 && batch.revision === place)
      throw new Error(`only ${changes.length} of ${count} changes came`)
    changes.push(...batch.changes)
    place = batch.revision
  }
  const more = await store.readChanges(place, { limit: 10, waitMs: 0 })
  return [...changes, ...more.changes]
}
