import { cities, peoplePath, personOf } from './people.ts'
import { head, withBody, type Operation } from './requests.ts'

/** Requests on the first `objects` people; what they create comes after those. */
export function operationsOn(objects: number): readonly Operation[] {
  let made = objects
  let changes = 0
  const existing = (at: number) => (at * 7919) % objects
  const filter = (at: number) => `city-${(at * 31) % cities}`
  return [
    { name: 'get', status: 200, request: (at) => head('GET', `${peoplePath}/p-${existing(at)}`) },
    {
      name: 'list 20, filter, sort',
      status: 200,
      request: (at) => head('GET', `${peoplePath}?size=20&sort=spec.age,desc&fieldSelector=spec.city=${filter(at)}`),
    },
    { name: 'create', status: 201, request: () => withBody('POST', peoplePath, personOf(made++)) },
    {
      name: 'update',
      status: 200,
      // A counter, so that each changes something.
      request: (at) => withBody('PUT', `${peoplePath}/p-${existing(at)}`, personOf(existing(at), {}, ++changes)),
    },
  ]
}
