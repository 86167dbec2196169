import type { Part } from '../measure/part.ts'
import { notMeasured, startAll, type Compared, type RunningSystem } from './compared.ts'
import { answerTo, changing, creating, getting } from './dialect.ts'
import { newPerson } from './people.ts'

const uniqueRounds = 10
const simultaneous = 30
const patchRounds = 50
const patched = 9

/** Whether a unique field stays unique, and whether a change is lost, when requests meet. */
export function races(compared: Compared): Part {
  return async () => {
    await using all = await startAll(compared)
    const facts = []
    for (const system of all.systems) {
      facts.push(
        {
          what: `${system.name}: rounds of ${simultaneous} simultaneous creates in which a unique value was accepted more than once, of ${uniqueRounds}`,
          value: await duplicates(system),
          unit: 'rounds',
        },
        {
          what: `${system.name}: pairs of accepted simultaneous patches of different fields of which one was lost, of ${patchRounds}`,
          value: await lostUpdates(system),
          unit: 'pairs',
        },
      )
    }
    const ours = facts.slice(0, 2)
    const withGoal = [...ours.map((fact) => ({ ...fact, goal: 0 })), ...facts.slice(2)]
    console.log()
    for (const { what, value } of facts) console.log(`${what}: ${value}`)
    return {
      figure: `${ours.map(({ value }) => value).join(' and ')} faults of Pergola in races`,
      short: ours.filter(({ value }) => value > 0).map(({ what, value }) => `${what}: ${value}`),
      result: {
        section: 'peers',
        title: 'Races, beside other products',
        text: `Requests at the same time on one value or one row, over one process each. ${notMeasured(compared)}`,
        facts: withGoal,
      },
    }
  }
}

async function duplicates({ dialect, server }: RunningSystem): Promise<number> {
  let rounds = 0
  for (let round = 0; round < uniqueRounds; round++) {
    const { email } = newPerson(`race-${round}`)
    const persons = Array.from({ length: simultaneous }, (_, at) => ({ ...newPerson(`race-${round}-${at}`), email }))
    const requests = persons.map((person) => creating(dialect, person))
    const answers = await Promise.all(requests.map((request) => answerTo(server.url, dialect, request)))
    const accepted = answers.filter(({ status }) => status < 300).length
    if (accepted === 0) throw new Error(`no create was accepted: ${JSON.stringify(answers[0])}`)
    if (accepted > 1) rounds++
  }
  return rounds
}

async function lostUpdates({ dialect, server }: RunningSystem): Promise<number> {
  let lost = 0
  let accepted = 0
  for (let round = 0; round < patchRounds; round++) {
    const changes = [{ age: 100 + round }, { name: `patched ${round}` }]
    const requests = changes.map((fields) => changing(dialect, patched, fields))
    const answers = await Promise.all(requests.map((request) => answerTo(server.url, dialect, request)))
    if (!answers.every(({ status }) => status === 200)) continue
    accepted++
    const { body } = await answerTo(server.url, dialect, getting(dialect, patched))
    const { age, name } = dialect.fieldsOf(body)
    if (Number(age) !== 100 + round || name !== `patched ${round}`) lost++
  }
  if (accepted === 0) throw new Error('no pair of patches was accepted')
  return lost
}
