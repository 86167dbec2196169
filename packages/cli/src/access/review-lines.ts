import type { HeldRole } from '../server/session.ts'
import type { Paint } from '../terminal/terminal.ts'
import { visible } from '../terminal/visible.ts'

/** Result of an access review. */
export interface Explanation {
  readonly allowed: boolean
  readonly text: string
  /** Role templates that would allow the request. */
  readonly templates?: readonly string[]
}

export interface Reviewed {
  readonly explanation: Explanation
  /** Undefined when the caller may not see the roles. */
  readonly held: readonly HeldRole[] | undefined
  readonly verb: string
}

/** Formats a review: yes or no, the reason, the roles held, and roles that would allow it. */
export function reviewLines({ explanation, held, verb }: Reviewed, paint: Paint): readonly string[] {
  const { allowed, text, templates = [] } = explanation
  if (allowed) {
    const [, verdict = text, why = ''] = /^(.*?): (.*)$/s.exec(text) ?? []
    return [`  ${paint('green', 'yes')}  ${visible(verdict)}`, ...line('because', visible(why)), ...heldLine(held)]
  }
  // The last part names the templates, which are told apart from it.
  const [verdict = text, nearest = '', ...notes] = text.split('; ').slice(0, -1)
  const near = [nearestWords(nearest), ...templates.map((name) => `${name} allows ${verb}`)].filter(
    (words) => words !== '',
  )
  const [best] = templates
  const [who = ''] = verdict.split(' may not ')
  return [
    `  ${paint('red', 'no')}  ${visible(verdict)}`,
    ...heldLine(held),
    ...line('nearest', near.map(visible).join('; ') || 'no role comes near'),
    ...notes.flatMap((words) => line('note', visible(words))),
    ...(best === undefined || who === 'anonymous' ? [] : line('next', `pergola grant ${visible(who)} ${best}`)),
  ]
}

function heldLine(held: readonly HeldRole[] | undefined): readonly string[] {
  if (!held) return []
  const shown = held.filter(({ name }) => name !== 'anonymous')
  const words = shown.map(({ name, binding }) => (binding === undefined ? name : `${name} (rolebinding ${binding})`))
  return line('holds', words.join('; ') || 'nothing')
}

/** Shortens `nearest is todo-view, which allows get, list but not delete`. */
function nearestWords(text: string): string {
  const [, role = '', allows = ''] = /^nearest is (.*?), which allows (.*)$/.exec(text) ?? []
  return role === '' ? '' : `${role} allows ${allows}`
}

function line(heading: string, words: string): readonly string[] {
  return words === '' ? [] : [`      ${heading.padEnd(11)}${words}`]
}
