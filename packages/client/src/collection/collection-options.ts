/** Completes a received object, for example with defaults that its schema declares. */
export type Whole<Stored> = (object: Stored) => Stored

export interface CollectionOptions<Stored> {
  /** Called with every received object; may complete it. */
  readonly whole?: Whole<Stored> | undefined
  /** Ends all watches of the collection. */
  readonly signal?: AbortSignal | undefined
}
