/** The value that a unique index refused, from `Key (name)=(value) already exists.` in any language of the server. */
export function refusedValue(detail: string): string | undefined {
  return /\)=\(([\s\S]*)\)/.exec(detail)?.[1]
}
