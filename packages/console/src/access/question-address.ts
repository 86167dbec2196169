import { deeds } from './deeds.ts'
import type { Question } from './use-question.ts'

type Query = Readonly<Record<string, string | null | undefined | readonly (string | null)[]>>

/** Reads the question from the page address; undefined if it is missing or invalid. */
export function questionIn(query: Query): Question | undefined {
  const text = (key: string) => [query[key] ?? []].flat().find((one) => one !== null && one !== '') ?? undefined
  const deed = deeds.find((one) => one === text('deed'))
  const data = text('data')
  if (deed === undefined || data === undefined || !data.includes('/')) return undefined
  return { user: text('user'), deed, data, name: text('name') }
}

export function toAddress({ user, deed, data, name }: Question): Record<string, string> {
  return { ...(user !== undefined && { user }), deed, data, ...(name !== undefined && { name }) }
}
