import { setTimeout as sleep } from 'node:timers/promises'
import type { PluginSpec, PluginState } from '@pergola/api'
import { createServer } from 'node:http'
import type { PluginDefinition } from '@pergola/api'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  configMap,
  openPluginGround,
  roleTemplate,
  todoDefinition,
  todoModel,
  todoObject,
  type PluginGround,
  type SamplePackage,
} from '../contract/plugin-ground.ts'

import type { RunHere } from '../process/launch-here.ts'
import type { InstalledPlugin } from './known-plugins.ts'
import { createNeighbours } from './neighbours.ts'
import { createPluginUses } from './plugin-uses.ts'
import { runPlugin, type PluginRunner, type RunnerParts } from './plugin-runner.ts'
import { registerModels } from './register-models.ts'

let ground: PluginGround
const running: PluginRunner[] = []
beforeAll(async () => {
  ground = await openPluginGround()
})
afterEach(async () => {
  for (const runner of running.splice(0)) await runner[Symbol.asyncDispose]()
  await ground.clear()
})
afterAll(() => ground[Symbol.asyncDispose]())

/** Answers as a plugin of this definition, on a socket of its own in this process. */
const answering = (definition: PluginDefinition): RunHere => {
  return async ({ listen }) => {
    const server = createServer(({ url }, response) => {
      response.end(url === '/pergola/definition' ? JSON.stringify(definition) : '{}')
    })
    await new Promise<void>((resolve) => server.listen(listen, resolve))
    return {
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections()
        server.close()
      },
    }
  }
}

const failing: RunHere = async () => {
  throw new Error('no license')
}

/** A program that does the same, and exits when it is asked for `/end`. */
const programOf = (definition: PluginDefinition) => `
  import { createServer } from 'node:http'
  import { readFileSync } from 'node:fs'
  const { listen } = JSON.parse(readFileSync(3, 'utf8'))
  createServer(({ url }, response) => {
    if (url === '/end') { console.log('last words'); process.exit(7) }
    response.end(url === '/pergola/definition' ? ${JSON.stringify(JSON.stringify(definition))} : '{}')
  }).listen(listen)
  console.log('pid ' + process.pid)`
const program = programOf(todoDefinition())

interface Given {
  readonly sample?: SamplePackage
  /** The spec of the installed plugin; it has the package of the sample unless this is a candidate. */
  readonly spec?: Partial<PluginSpec>
  readonly isCandidate?: boolean
  /** How its process behaves; `process`: as a real one. */
  readonly here?: RunHere | 'process'
  readonly parts?: Partial<RunnerParts>
  /** Other plugins, by name, with their versions. */
  readonly others?: Readonly<Record<string, string>>
}

/** A state, and how the version was at that moment. */
interface Told extends PluginState {
  readonly isReachable: boolean
  readonly isServing: boolean
  readonly token: string | undefined
}

/** Runs the plugin `todo`, and records the states that it tells. */
async function start({ sample = {}, spec, isCandidate = false, here, parts, others = {} }: Given = {}) {
  const digest = await ground.keep(sample)
  const plugin = await ground.install('todo', { digest: isCandidate ? 'active' : digest, ...spec })
  const states: Told[] = []
  let seen = 0
  const lines: string[] = []
  const installed = new Map(Object.entries(others))
  const neighbours = createNeighbours({
    installed: (name): InstalledPlugin | undefined => {
      const version = installed.get(name)
      const known = { digest: '', groups: [], permissions: [], enabled: true }
      return version === undefined ? undefined : { name, uid: name, spec: { ...known, version } }
    },
    isStarted: (name) => installed.has(name),
  })
  const behaviour = here ?? answering(sample.definition ?? todoDefinition())
  let runner: PluginRunner | undefined
  runner = runPlugin(
    {
      ...ground,
      hostSocket: '/host.sock',
      limits: { memoryBytes: 300 * 1024 * 1024, processes: 8, scratchBytes: 1024 * 1024, startMs: 60_000 },
      accounts: { take: async () => undefined },
      cgroups: undefined,
      neighbours,
      runnerOf: () => (behaviour === 'process' ? undefined : behaviour),
      onLine: (_, line) => lines.push(line),
      inspectorOf: () => undefined,
      exclusively: (_, work) => work(),
      activeSpec: async () => (await ground.stored('todo')).spec,
      onState: (_, __, state) => {
        const { door, isServing = false, token } = runner ?? {}
        states.push({ ...state, isReachable: door !== undefined, isServing, token })
      },
      uses: createPluginUses(),
      ...parts,
    },
    plugin,
    { version: '1.0.0', digest, groups: [], permissions: [] },
  )
  running.push(runner)
  const phases = () => states.map(({ phase, reason }) => (reason === undefined ? phase : `${phase} ${reason}`))
  return {
    runner,
    states,
    lines,
    phases,
    installed,
    neighbours,
    /** Ends its real process. */
    kill: async () => {
      const said = () => lines.find((line) => line.startsWith('pid '))
      await expect.poll(said, { interval: 10 }).toBeDefined()
      process.kill(Number(said()?.slice('pid '.length)), 'SIGKILL')
    },
    /** Resolves with the next state of this phase and reason. */
    until: async (phase: string): Promise<Told | undefined> => {
      await expect.poll(() => phases().indexOf(phase, seen), { interval: 10 }).toBeGreaterThanOrEqual(seen)
      seen = phases().indexOf(phase, seen) + 1
      return states[seen - 1]
    },
  }
}

/** What a start has stored. */
const applied = async () => ({
  models: await ground.declared(),
  roles: (await ground.roles.names()).filter((name) => name.startsWith('todo-')),
})
const nothing = { models: [], roles: [] }
const everything = { models: ['todos.todo.example.com'], roles: ['todo-view'] }
const objects = [roleTemplate('todo-view')]

test('a plugin that starts declares its models, applies its objects, and is reachable', async () => {
  const { runner, until, phases } = await start({ sample: { objects } })
  await runner.arrived
  await until('Started')
  expect(phases()[0]).toBe('NotStarted')
  expect(await applied()).toEqual(everything)
  expect(runner).toMatchObject({ isServing: true, groups: ['todo.example.com'], door: { name: 'todo' } })
  expect(runner.declared.map(({ plural }) => plural)).toEqual(['todos'])
})

interface Unstartable extends Given {
  readonly title: string
  readonly message: string
  readonly before?: () => Promise<unknown>
}

const unstartable: readonly Unstartable[] = [
  {
    title: 'whose package is that of another plugin',
    sample: { definition: todoDefinition({ name: 'other' }) },
    message: 'its package is that of other',
  },
  {
    title: 'that needs another host',
    sample: { requires: '>=99.0.0' },
    message: 'it needs a host of >=99.0.0',
  },
  {
    title: 'that runs with another definition than its package',
    here: answering(todoDefinition({ permissions: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] })),
    message: 'the running process has a different definition than its package',
  },
  {
    title: 'with an invalid model',
    sample: { definition: todoDefinition({ models: [todoModel({ indexes: [{ name: 'spec.missing' }] })] }) },
    message: 'its model todos of todo.example.com',
  },
  {
    title: 'that declares an object of somebody else',
    sample: { objects },
    before: () => ground.roles.create(roleTemplate('todo-view')),
    message: 'the Role "todo-view" exists and is not from this plugin',
  },
  {
    title: 'that declares a foreign object without an approval',
    sample: { objects: [configMap('defaults', '')] },
    message: "is not this plugin's to declare",
  },
]
test.each(unstartable)('a plugin $title fails, and is not started again', async ({ message, before, ...given }) => {
  await before?.()
  const { runner, until, phases } = await start(given)
  await runner.arrived
  expect((await until('Failed'))?.message).toContain(message)
  expect(phases()).not.toContain('Started')
  expect(runner.door).toBeUndefined()
  expect(runner.evaluator).toBeUndefined()
})

test('a started plugin stays served when the search for duplicates ends after the start', async () => {
  const held = Promise.withResolvers<void>()
  let reads = 0
  const get: typeof ground.store.get = async (model, name) => {
    const found = await ground.store.get(model, name)
    // The second read is that of the search: the first looks whether the models were built before.
    if (model.plural === 'models' && ++reads === 2) await held.promise
    return found
  }
  const { runner, until } = await start({ parts: { store: { ...ground.store, get } } })
  await until('Started')
  held.resolve()
  await sleep(20)
  expect(runner.isServing).toBe(true)
})

test('a plugin whose package is gone fails, and says what to do', async () => {
  const { until } = await start({ parts: { packages: { ...ground.packages, read: async () => undefined } } })
  expect((await until('Failed'))?.message).toMatch(/is not in the database; install it again$/)
})

test('a version that another one has replaced meanwhile ends without a state of its own', async () => {
  const { runner, phases } = await start({ sample: { objects }, parts: { activeSpec: async () => undefined } })
  await runner.arrived
  expect(phases()).toEqual(['NotStarted'])
  expect(await applied()).toEqual(nothing)
})

describe('a process that ends', () => {
  test('before it is ready is started again, each time after twice as long, and declares nothing', async () => {
    const { runner, states, lines, phases } = await start({ sample: { objects }, here: failing })
    await runner.arrived
    const told = () => states.filter(({ reason }) => reason === 'BackingOff').map(({ message }) => message ?? '')
    await expect.poll(() => told().length, { interval: 10 }).toBeGreaterThanOrEqual(3)
    const why = 'it cannot be started: no license before it was healthy'
    expect(told().slice(0, 3)).toEqual(['1', '1', '2'].map((seconds) => `${why}\nit is started again in ${seconds} s`))
    expect(lines[2]).toBe(`pergola: ${why}; it is started again in 2 s`)
    expect(phases()).not.toContain('Started')
    expect(await applied()).toEqual(nothing)
  })

  test('after it has started is not reachable, is still served, and is started again', async () => {
    const sample = { program, objects }
    const { runner, until } = await start({ sample, here: 'process' })
    const started = await until('Started')
    await runner.door?.pool.request({ path: '/end', method: 'GET' }).catch(() => {})
    const ended = await until('NotStarted BackingOff')
    expect(ended?.message).toMatch(/^it ended with code 7\npid \d+\nlast words\nit is started again in 1 s$/)
    expect(ended).toMatchObject({ isReachable: false, isServing: true, token: undefined })
    const again = await until('Started')
    expect(again?.token).toBeDefined()
    expect(again?.token).not.toBe(started?.token)
  })

  test('is not started again once the plugin is stopped', async () => {
    const { runner, until, phases } = await start({ here: failing })
    await until('NotStarted BackingOff')
    await runner[Symbol.asyncDispose]()
    const before = phases().length
    await runner.arrived
    expect(phases()).toHaveLength(before)
  })

  test('does not keep models from being served that were built before', async () => {
    await registerModels(ground, 'todo', [todoModel()])
    const { until } = await start({ here: failing })
    expect(await until('NotStarted BackingOff')).toMatchObject({ isServing: true, isReachable: false })
  })
})

describe('a candidate', () => {
  const candidate = { isCandidate: true, sample: { objects } }

  test('is prepared without declaring anything, and starts when it is admitted', async () => {
    const { runner, until, phases } = await start(candidate)
    await until('Prepared')
    expect(await applied()).toEqual(nothing)
    expect(runner).toMatchObject({ door: undefined, isServing: false })
    expect(runner.evaluator).toBeDefined()
    runner.admit()
    await until('Started')
    expect(phases()).toEqual(['NotStarted', 'Prepared', 'Started'])
    expect(await applied()).toEqual(everything)
  })

  test('that cannot be started fails at once: the upgrade is given up, not the plugin', async () => {
    const { until } = await start({ ...candidate, here: failing })
    expect((await until('Failed'))?.message).toBe('it cannot be started: no license before it was healthy')
  })

  test('whose process ends while it is prepared fails', async () => {
    const { until, kill } = await start({ ...candidate, sample: { program }, here: 'process' })
    await until('Prepared')
    await kill()
    expect((await until('Failed'))?.message).toMatch(/^it was ended by SIGKILL/)
  })

  test('that lacks a dependency fails: nobody waits for what may never come', async () => {
    const definition = todoDefinition({ dependencies: { mailer: '^1.0.0' } })
    const { until } = await start({ ...candidate, sample: { definition } })
    expect((await until('Failed'))?.message).toContain('it needs the plugin mailer of ^1.0.0, which is not installed')
  })

  test('that is stopped while it is prepared ends without another state', async () => {
    const { runner, until, phases } = await start(candidate)
    await until('Prepared')
    await runner[Symbol.asyncDispose]()
    expect(phases()).toEqual(['NotStarted', 'Prepared'])
    expect(await applied()).toEqual(nothing)
  })
})

describe('a dependency', () => {
  const sample = { definition: todoDefinition({ dependencies: { mailer: '^1.0.0' } }) }

  test('is waited for; other plugins do not wait for this one meanwhile', async () => {
    const { runner, until, installed, neighbours } = await start({ sample })
    await until('NotStarted WaitingForDependency')
    await runner.arrived
    installed.set('mailer', '1.4.0')
    neighbours.tell()
    expect(await until('Started')).toMatchObject({ isServing: true })
  })

  test('that is lost stops the plugin without counting as a failure, and it starts again with it', async () => {
    const { runner, until, installed, neighbours, phases } = await start({ sample, others: { mailer: '1.4.0' } })
    await until('Started')
    installed.delete('mailer')
    neighbours.tell()
    await until('NotStarted WaitingForDependency')
    expect(runner.door).toBeUndefined()
    installed.set('mailer', '1.5.0')
    neighbours.tell()
    await until('Started')
    expect(phases()).not.toContain('NotStarted BackingOff')
  })
})

describe('with objects and a new index,', () => {
  const withIndex = (unique: boolean) => {
    const definition = todoDefinition({ models: [todoModel({ indexes: [{ name: 'spec.title', unique }] })] })
    return { definition, objects }
  }
  const fill = async (...titles: readonly string[]) => {
    await registerModels(ground, 'todo', [todoModel()])
    for (const [at, title] of titles.entries()) await ground.todos.create(todoObject(`todo-${at}`, title))
  }

  test('a plugin is neither served nor reachable until the index is built', async () => {
    await fill('Buy milk')
    ground.hold.builds = true
    const { runner, until } = await start({ sample: withIndex(false) })
    await until('NotStarted BuildingIndexes')
    expect(runner).toMatchObject({ door: undefined, isServing: false })
    expect((await applied()).roles).toEqual([])
    ground.hold.builds = false
    ground.build({ group: 'todo.example.com', plural: 'todos' })
    await until('Started')
    expect(runner.isServing).toBe(true)
    expect((await applied()).roles).toEqual(['todo-view'])
  })

  test('a process that ends while the index is built is started again', async () => {
    await fill('Buy milk')
    ground.hold.builds = true
    const sample = withIndex(false)
    const { until, kill } = await start({
      sample: { ...sample, program: programOf(sample.definition) },
      here: 'process',
    })
    await until('NotStarted BuildingIndexes')
    await kill()
    expect((await until('NotStarted BackingOff'))?.message).toContain('it was ended by SIGKILL')
    ground.hold.builds = false
    await until('Started')
  })

  test('duplicates keep a plugin from starting; its objects are served for the repair, after which it starts', async () => {
    await fill('same', 'same')
    const { runner, until } = await start({ sample: withIndex(true) })
    const told = await until('NotStarted DuplicateValues')
    await runner.arrived
    expect(told?.message).toMatch(/"same": (todo-0, todo-1|todo-1, todo-0)$/)
    await expect.poll(() => runner.isServing).toBe(true)
    expect(runner.door).toBeUndefined()
    await ground.todos.remove('todo-1')
    await until('Started')
  })
})

describe('stopping', () => {
  test('a plugin before its process is healthy ends without another state', async () => {
    const silent: RunHere = async () => ({ [Symbol.asyncDispose]: async () => {} })
    const { runner, phases } = await start({ here: silent })
    await runner[Symbol.asyncDispose]()
    expect(phases()).toEqual(['NotStarted'])
    expect(await applied()).toEqual(nothing)
  })

  test('a retired plugin takes no more requests at once, and ends when those in flight are answered', async () => {
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    const here: RunHere = async ({ listen }) => {
      const server = createServer(({ url }, response) => {
        const end = () => response.end(url === '/pergola/definition' ? JSON.stringify(todoDefinition()) : '{}')
        if (url !== '/slow') return end()
        asked.resolve()
        return void answer.promise.then(end)
      })
      await new Promise<void>((resolve) => server.listen(listen, resolve))
      return { [Symbol.asyncDispose]: async () => void server.close() }
    }
    const { runner, until } = await start({ here })
    await until('Started')
    const request = runner.door?.pool.request({ path: '/slow', method: 'GET' })
    await asked.promise
    const retired = runner.retire()
    expect(runner.door).toBeUndefined()
    answer.resolve()
    expect((await request)?.statusCode).toBe(200)
    await retired
  })
})
