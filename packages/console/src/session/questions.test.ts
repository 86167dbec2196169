import { expect, it } from 'vitest'
import { createQuestions } from './questions.ts'

const right = (verb: string, resource = 'todos') => ({ verb, group: '', resource })

function asking(allows: (verb: string) => boolean = () => true) {
  const sent: number[] = []
  const questions = createQuestions(async (rights) => {
    sent.push(rights.length)
    return rights.map(({ verb }) => allows(verb))
  })
  return { sent, questions }
}

it('concurrent questions share one request, and each gets its answer once', async () => {
  const { sent, questions } = asking((verb) => verb !== 'delete')
  const all = ['get', 'delete', 'get'].map(async (verb) => questions.ask(right(verb)))
  expect(await Promise.all(all)).toEqual([true, false, true])
  expect(await questions.ask(right('delete'))).toBe(false)
  expect(sent).toEqual([2])
})

it('asks again after a change of rights', async () => {
  const { sent, questions } = asking()
  await questions.ask(right('get'))
  questions.forget()
  await questions.ask(right('get'))
  expect(sent).toEqual([1, 1])
})

it('sends at most 100 questions in a request', async () => {
  const { sent, questions } = asking()
  await Promise.all(Array.from({ length: 230 }, async (_, at) => questions.ask(right('get', `kind-${at}`))))
  expect(sent).toEqual([100, 100, 30])
})

it('a failure allows nothing and is not cached', async () => {
  let isDown = true
  const questions = createQuestions(async (rights) => {
    if (isDown) throw new Error('no answer')
    return rights.map(() => true)
  })
  expect(await questions.ask(right('get'))).toBe(false)
  isDown = false
  expect(await questions.ask(right('get'))).toBe(true)
})
