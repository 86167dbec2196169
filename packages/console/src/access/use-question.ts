import { coreResources } from '@pergola/api'
import { isApiError } from '@pergola/client'
import { ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import { client } from '../server/client.ts'
import { mayDo } from '../session/permissions.ts'
import { verbOf, type Deed } from './deeds.ts'
import { nameOfUser } from './find-users.ts'
import { review, whoCan, type Counted, type Explanation } from './who-may.ts'

/** Asks whether a user may do something. */
export interface Question {
  /** Default: the signed-in user. */
  readonly user?: string | undefined
  readonly deed: Deed
  /** `group/plural` */
  readonly data: string
  /** Default: any object. */
  readonly name?: string | undefined
}

export interface Answer extends Explanation {
  readonly question: Question
  /** The name of the user. */
  readonly who?: string | undefined
  /** Roles that allow it; absent if the signed-in user may not read them. */
  readonly allowing?: readonly Counted[] | undefined
}

export interface Asking {
  readonly answer: ShallowRef<Answer | undefined>
  readonly error: ShallowRef<unknown>
  /** The user does not exist. */
  readonly unknown: Ref<string | undefined>
  readonly isBusy: Ref<boolean>
  readonly ask: (question: Question) => Promise<void>
}

/** Asks the server; if questions follow quickly, only the last is sent. */
export function useQuestion(): Asking {
  const answer = shallowRef<Answer>()
  const error = shallowRef<unknown>()
  const unknown = ref<string>()
  const isBusy = ref(false)
  let latest = 0
  const ask = async (question: Question) => {
    const mine = ++latest
    isBusy.value = true
    try {
      const found = await answerTo(question)
      if (mine !== latest) return
      error.value = undefined
      unknown.value = found === undefined ? question.user : undefined
      answer.value = found
    } catch (reason) {
      if (mine !== latest) return
      answer.value = undefined
      error.value = reason
    } finally {
      if (mine === latest) isBusy.value = false
    }
  }
  return { answer, error, unknown, isBusy, ask }
}

/** Undefined if the user does not exist: an access review answers for any name. */
async function answerTo(question: Question): Promise<Answer | undefined> {
  const { user, deed, data, name } = question
  const who = user === undefined ? undefined : await nameOf(user)
  if (who === null) return undefined
  const [group = '', resource = ''] = data.split('/')
  const hasName = name !== undefined && deed !== 'create'
  const request = { verb: verbOf(deed, hasName), group, resource, ...(hasName && { name }) }
  const mayAskWho = await mayDo({ verb: 'create', group: 'api.platform.run', resource: 'whocan' })
  const [[explained], allowing] = await Promise.all([
    review([request], { user }),
    mayAskWho ? whoCan([request]) : undefined,
  ])
  if (!explained) throw new Error('the server did not answer the question')
  return { ...explained, question, who, allowing: allowing?.[0] }
}

/** The display name; `null` if the user does not exist. Without the right to read users, the typed name. */
async function nameOf(user: string): Promise<string | null> {
  if (!(await mayDo({ verb: 'get', group: '', resource: 'users' }))) return user
  try {
    return nameOfUser(await client.resource(coreResources.users).get(user))
  } catch (reason) {
    if (isApiError(reason) && reason.status === 404) return null
    throw reason
  }
}
