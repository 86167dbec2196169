import { isDeepStrictEqual } from 'node:util'
import { faultsOf, isPassing, parsed } from './checks.ts'
import type { DescribedModel, Documents } from './documents.ts'
import type { Findings } from './findings.ts'
import { createRandom } from './random.ts'
import { hostileShot } from './requests/hostile.ts'
import { nearValidShot } from './requests/near-valid.ts'
import { validShot } from './requests/valid.ts'
import { openConnection, sendBytes, type Answer, type Connection } from './sender.ts'
import { read, type Kind, type KnownObject, type Shot, type World } from './shot.ts'

const senders = 16
/** Objects kept per model; further ones are deleted. */
const maxObjects = 15

export interface CampaignParts {
  readonly url: string
  readonly documents: Documents
  readonly seed: number
  readonly findings: Findings
  /** Called for every response. */
  readonly onAnswer: (kind: Kind, answer: Answer) => void
}

/** Sixteen independent senders, each with its own connection, objects and seed. */
export class Campaign implements Disposable {
  readonly #senders: readonly Sender[]

  constructor(parts: CampaignParts) {
    this.#senders = Array.from({ length: senders }, (_, at) => new Sender(parts, at))
  }

  /** Sends at least `requests` requests in total. */
  async send(requests: number): Promise<void> {
    await Promise.all(this.#senders.map((sender) => sender.send(Math.ceil(requests / senders))))
  }

  [Symbol.dispose](): void {
    for (const sender of this.#senders) sender[Symbol.dispose]()
  }
}

class Sender implements Disposable {
  readonly #parts: CampaignParts
  readonly #connection: Connection
  readonly #world: World
  #sent = 0
  #before = 'nothing'

  constructor(parts: CampaignParts, at: number) {
    this.#parts = parts
    this.#connection = openConnection(parts.url)
    const { models } = parts.documents
    let names = 0
    this.#world = {
      random: createRandom(parts.seed * senders + at),
      own: `w${at}`,
      models,
      objects: new Map(models.map((model) => [model, new Map<string, KnownObject>()])),
      freshName: () => `w${at}-${names++}`,
    }
  }

  async send(requests: number): Promise<void> {
    const { random } = this.#world
    for (const until = this.#sent + requests; this.#sent < until;) {
      const makers = [validShot, validShot, nearValidShot, hostileShot, hostileShot]
      const shots = [this.#surplus() ?? random.pick(makers)(this.#world)]
      for (let shot = shots.shift(); shot; shot = shots.shift()) shots.push(...(await this.#shoot(shot)))
    }
  }

  /** Sends a request and returns the follow-up requests. */
  async #shoot(shot: Shot): Promise<readonly Shot[]> {
    const { url, documents, findings, onAnswer } = this.#parts
    this.#sent++
    const answer = shot.bytes ? await sendBytes(url, shot.bytes) : await this.#connection.send(shot.line)
    onAnswer(shot.kind, answer)
    // The previous request may have left the connection in a bad state.
    const before = answer.status === 0 ? ` after ${this.#before}` : ''
    for (const fault of faultsOf(documents, shot, answer)) findings.add(`${fault}${before}`, shot)
    if (!shot.bytes)
      this.#before = `${shot.line.method} ${shot.line.path.slice(0, 200)} (${shot.what}), ${answer.status}`
    const body = parsed(answer.text)
    const after = this.#learn(shot, body, answer)
    const next = answer.status < 400 ? (shot.next?.(body, answer) ?? []) : []
    return isPassing(answer) ? [] : [...after, ...next]
  }

  /** Records a stored object and reads it back. */
  #learn({ line, bytes }: Shot, body: unknown, { status }: Answer): readonly Shot[] {
    const [path = '', query = ''] = line.path.split('?')
    const model = this.#world.models.find((one) => path === one.path || path.startsWith(`${one.path}/`))
    const objects = model && this.#world.objects.get(model)
    if (!model || !objects || bytes || status >= 300 || query.includes('dryRun=true')) return []
    if (line.method === 'DELETE') {
      if (path === model.path) objects.clear()
      else objects.delete(path.slice(model.path.length + 1))
      return []
    }
    if (line.method !== 'POST' && line.method !== 'PUT' && line.method !== 'PATCH') return []
    const stored = body as KnownObject['body']
    const { name, deletionTimestamp, finalizers } = stored.metadata
    if (deletionTimestamp !== undefined) {
      objects.delete(name)
      return finalizers === undefined ? [] : [readBack(model, { name, body: stored })]
    }
    objects.set(name, { name, body: stored })
    return [readBack(model, { name, body: stored })]
  }

  #surplus(): Shot | undefined {
    for (const [model, objects] of this.#world.objects) {
      const [name] = objects.keys()
      if (objects.size <= maxObjects || name === undefined) continue
      const line = { method: 'DELETE', path: `${model.path}/${name}`, headers: {} }
      return { kind: 'valid', what: 'delete', expected: 'accepted', line }
    }
    return undefined
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]()
  }
}

function readBack({ path }: DescribedModel, { name, body }: KnownObject): Shot {
  return {
    kind: 'valid',
    what: 'read back',
    line: read(`${path}/${name}`),
    expected: 'accepted',
    check: (found) => (isDeepStrictEqual(found, body) ? undefined : 'it is read as something else than was answered'),
  }
}
