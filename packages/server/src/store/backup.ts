/** Reports progress, as text. */
export type Tell = (words: string) => void

export interface RestoreOptions {
  /** A backup file made on the same engine. */
  readonly from: string
  /** Replace an existing database; it is moved aside, not deleted. */
  readonly replace: boolean
  readonly tell: Tell
}
