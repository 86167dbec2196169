/** Makes of an object what whoever uses it has to see. */
export type Whole<Stored> = (object: Stored) => Stored

export interface CollectionOptions<Stored> {
  /** Told of every object that comes, and may complete it. */
  readonly whole?: Whole<Stored> | undefined
  /** Ends watches. */
  readonly signal?: AbortSignal | undefined
}
