import { readPeople } from '../dev/people-file.ts'
import { usedWrongly } from '../terminal/command-fault.ts'

/** Who is meant where nobody is named. */
const administrator = 'admin'

interface DevelopmentServer {
  readonly url: string
  /** Undefined for who calls without one. */
  readonly token: string | undefined
}

/** The host of `pergola dev` in the folder or above it, as somebody there; undefined where it does not run. */
export function developmentServer(folder: string, person = administrator): DevelopmentServer | undefined {
  const people = readPeople(folder)
  if (!people) return undefined
  const { url, tokens } = people
  const token = tokens[person]
  if (token === undefined) {
    throw usedWrongly(`there is no ${person} here; --as takes ${Object.keys(tokens).join(', ')}`)
  }
  return { url, token: token ?? undefined }
}
