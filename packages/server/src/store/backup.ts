/** Told how far it is, in words. */
export type Tell = (words: string) => void

export interface RestoreOptions {
  /** A file that a backup made, on the same engine. */
  readonly from: string
  /** Whether what is there makes room; it is put aside, not deleted. */
  readonly replace: boolean
  readonly tell: Tell
}
