const maxQuoted = 80

/** The beginning of a text of untrusted length, for a message. */
export function shortened(text: string): string {
  return text.length <= maxQuoted ? text : `${text.slice(0, maxQuoted).toWellFormed()}…`
}
