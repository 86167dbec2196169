import { readPeople } from '../dev/people-file.ts'
import { usedWrongly } from '../terminal/command-fault.ts'

/** Default test user. */
const administrator = 'admin'

interface DevelopmentServer {
  readonly url: string
  /** Undefined for anonymous calls. */
  readonly token: string | undefined
}

/** Finds the `pergola dev` host of this folder or a parent, with the token of a test user; undefined when none runs. */
export function developmentServer(folder: string, person = administrator): DevelopmentServer | undefined {
  const people = readPeople(folder)
  if (!people) return undefined
  const { url, tokens } = people
  const token = tokens[person]
  if (token === undefined) {
    throw usedWrongly(`there is no test user "${person}"; --as accepts ${Object.keys(tokens).join(', ')}`)
  }
  return { url, token: token ?? undefined }
}
