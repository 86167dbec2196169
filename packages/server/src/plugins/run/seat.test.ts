import { setImmediate as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { PluginSpec, PluginVersion } from '@pergola/api'
import type { InstalledPlugin } from './known-plugins.ts'
import type { PluginRunner } from './plugin-runner.ts'
import { createSeat } from './seat.ts'

const version = (digest: string): PluginVersion => ({ version: '1.0.0', digest, groups: [], permissions: [] })
const candidate = (digest: string) => ({ candidate: { ...version(digest), adds: [] } })

/** The plugin `todo` as stored: enabled, with the package `one`, unless changed. */
function todo({ uid = 'todo', ...change }: Partial<PluginSpec> & { readonly uid?: string } = {}): InstalledPlugin {
  return { name: 'todo', uid, spec: { ...version('one'), enabled: true, ...change } }
}

/** What a seat does not look at. */
const unread = {
  declared: [],
  door: undefined,
  evaluator: undefined,
  token: undefined,
  isServing: false,
  routes: undefined,
  declaredRoutes: [],
  apps: [],
  owned: [],
  groups: [],
}

/** A seat whose parts record what they are asked for. A version in `slow` arrives only when `arrive` is called. */
function seatOf(slow: readonly string[] = []) {
  const calls: string[] = []
  const arrivals = new Map<string, () => void>()
  const exits: (() => void)[] = []
  const hold = { exits: false }
  const exited = async (what: string) => {
    calls.push(what)
    if (hold.exits) await new Promise<void>((resolve) => exits.push(resolve))
  }
  const run = (plugin: InstalledPlugin, { digest }: PluginVersion): PluginRunner => {
    calls.push(`run ${digest}`)
    const arrived = Promise.withResolvers<void>()
    if (slow.includes(digest)) arrivals.set(digest, arrived.resolve)
    else arrived.resolve()
    return {
      plugin,
      digest,
      arrived: arrived.promise,
      admit: () => void calls.push(`admit ${digest}`),
      retire: () => exited(`retire ${digest}`),
      [Symbol.asyncDispose]: () => exited(`stop ${digest}`),
      ...unread,
    }
  }
  /** Work that runs until it is aborted. */
  const job = async (what: string, signal: AbortSignal) => {
    calls.push(what)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    calls.push(`abort: ${what}`)
  }
  const seat = createSeat({
    run,
    upgrade: ({ spec }, signal) => job(`upgrade ${spec.digest} to ${spec.candidate?.digest}`, signal),
    remove: ({ spec }, signal) => job(`remove and ${spec.removal}`, signal),
    tell: (_, digest, { phase }) => void calls.push(`${digest} is ${phase}`),
  })
  const seated = () => ({
    active: seat.active?.digest,
    next: seat.next?.digest,
    others: seat.others().map(({ digest }) => digest),
  })
  return {
    seat,
    calls,
    seated,
    hold,
    arrive: (digest: string) => arrivals.get(digest)?.(),
    exit: () => exits.pop()?.(),
  }
}

type Step = InstalledPlugin | undefined

interface Row {
  readonly title: string
  readonly before?: readonly Step[]
  readonly follow: readonly Step[]
  /** The calls of the steps in `follow`. */
  readonly calls: readonly string[]
  readonly active?: string
  readonly next?: string
}

const upgrading = [todo(), todo(candidate('two'))]
const switched = todo({ ...version('two'), previous: version('one') })

const rows: readonly Row[] = [
  { title: 'an enabled plugin runs', follow: [todo()], calls: ['run one'], active: 'one' },
  { title: 'an unchanged plugin is left alone', before: [todo()], follow: [todo()], calls: [], active: 'one' },
  {
    title: 'a plugin that is disabled when it is first seen does not run',
    follow: [todo({ enabled: false })],
    calls: [],
  },
  {
    title: 'a disabled plugin stops, and is reported as disabled after that',
    before: [todo()],
    follow: [todo({ enabled: false })],
    calls: ['stop one', 'one is Disabled'],
  },
  {
    title: 'a plugin that is enabled again runs again',
    before: [todo(), todo({ enabled: false })],
    follow: [todo({ restarts: 1 })],
    calls: ['run one'],
    active: 'one',
  },
  {
    title: 'a package that changes without preparation replaces the other only after that has stopped',
    before: [todo()],
    follow: [todo(version('two'))],
    calls: ['stop one', 'run two'],
    active: 'two',
  },
  {
    title: 'a requested restart runs the same package beside the old process, which then retires',
    before: [todo()],
    follow: [todo({ restarts: 1 })],
    calls: ['run one', 'admit one', 'retire one'],
    active: 'one',
  },
  {
    title: 'a candidate is prepared beside the active version',
    before: [todo()],
    follow: [todo(candidate('two'))],
    calls: ['run two', 'upgrade one to two'],
    active: 'one',
    next: 'two',
  },
  {
    title: 'a candidate that is seen again is neither run nor upgraded to twice',
    before: upgrading,
    follow: [todo(candidate('two'))],
    calls: [],
    active: 'one',
    next: 'two',
  },
  {
    title: 'a plugin with a candidate at the start of the host runs both',
    follow: [todo(candidate('two'))],
    calls: ['run one', 'run two', 'upgrade one to two'],
    active: 'one',
    next: 'two',
  },
  {
    title: 'after the switch, the prepared process is admitted and the former one retires',
    before: upgrading,
    follow: [switched],
    calls: ['admit two', 'retire one', 'abort: upgrade one to two'],
    active: 'two',
  },
  {
    title: 'a switch to a version that was not prepared here stops the former one first',
    before: [todo()],
    follow: [switched],
    calls: ['stop one', 'run two'],
    active: 'two',
  },
  {
    title: 'a restart while an upgrade is prepared keeps the candidate and its upgrade',
    before: upgrading,
    follow: [todo({ ...candidate('two'), restarts: 1 })],
    calls: ['run one', 'admit one', 'retire one'],
    active: 'one',
    next: 'two',
  },
  {
    title: 'a withdrawn candidate stops, and its upgrade is aborted',
    before: upgrading,
    follow: [todo()],
    calls: ['stop two', 'abort: upgrade one to two'],
    active: 'one',
  },
  {
    title: 'another candidate replaces the one being prepared, and its upgrade',
    before: upgrading,
    follow: [todo(candidate('three'))],
    calls: ['stop two', 'run three', 'abort: upgrade one to two', 'upgrade one to three'],
    active: 'one',
    next: 'three',
  },
  {
    title: 'a plugin that is disabled while an upgrade is prepared stops both versions; the upgrade itself gives up',
    before: upgrading,
    follow: [todo({ ...candidate('two'), enabled: false })],
    calls: ['stop one', 'stop two', 'one is Disabled'],
  },
  {
    title: 'a candidate of a disabled plugin does not run; its upgrade is started so that it gives up',
    follow: [todo({ ...candidate('two'), enabled: false })],
    calls: ['upgrade one to two'],
  },
  {
    title: 'an uninstalled plugin is reported as disabled before its removal begins, which reports more',
    before: [todo()],
    follow: [todo({ enabled: false, removal: 'keep' })],
    calls: ['one is Disabled', 'remove and keep', 'stop one'],
  },
  {
    title: 'a removal while an upgrade is prepared aborts the upgrade before it removes anything',
    before: upgrading,
    follow: [todo({ ...candidate('two'), enabled: false, removal: 'keep' })],
    calls: ['one is Disabled', 'abort: upgrade one to two', 'remove and keep', 'stop one', 'stop two'],
  },
  {
    title: 'a purge replaces a removal that keeps the data',
    before: [todo(), todo({ enabled: false, removal: 'keep' })],
    follow: [todo({ enabled: false, removal: 'purge' })],
    calls: ['abort: remove and keep', 'remove and purge'],
  },
  {
    title: 'a removal that is seen again continues',
    before: [todo({ enabled: false, removal: 'purge' })],
    follow: [todo({ enabled: false, removal: 'purge' })],
    calls: [],
  },
  {
    title: 'a plugin that is gone stops, with its candidate and its upgrade',
    before: upgrading,
    follow: [undefined],
    calls: ['abort: upgrade one to two', 'stop one', 'stop two'],
  },
  {
    title: 'a plugin that was purged and installed again is another plugin: nothing of the former one runs on',
    before: upgrading,
    follow: [todo({ uid: 'another' })],
    calls: ['abort: upgrade one to two', 'stop one', 'stop two', 'run one'],
    active: 'one',
  },
  {
    title: 'a plugin that is installed again while its data is removed aborts the removal',
    before: [todo(), todo({ enabled: false, removal: 'keep' })],
    follow: [todo({ restarts: 1 })],
    calls: ['run one', 'abort: remove and keep'],
    active: 'one',
  },
]

test.each(rows)('$title', async ({ before = [], follow, calls, active, next }) => {
  const { seat, seated, ...recorded } = seatOf()
  for (const step of before) await seat.follow(step)
  recorded.calls.length = 0
  for (const step of follow) await seat.follow(step)
  await pause()
  expect(recorded.calls).toEqual(calls)
  expect(seated()).toEqual({ active, next, others: [] })
  await seat[Symbol.asyncDispose]()
})

describe('while a version takes its time,', () => {
  test('the former version stays active until the admitted one has arrived', async () => {
    const { seat, calls, seated, arrive } = seatOf(['two'])
    for (const step of upgrading) await seat.follow(step)
    const following = seat.follow(switched)
    await pause()
    expect(seated()).toEqual({ active: 'one', next: 'two', others: ['two'] })
    expect(calls).not.toContain('retire one')
    arrive('two')
    await following
    expect(seated()).toEqual({ active: 'two', next: undefined, others: [] })
    await seat[Symbol.asyncDispose]()
  })

  test('a plugin that is disabled before it has started is stopped', async () => {
    const { seat, calls, seated } = seatOf(['one'])
    await Promise.all([seat.follow(todo()), seat.follow(todo({ enabled: false }))])
    expect(calls).toEqual(['run one', 'stop one', 'one is Disabled'])
    expect(seated()).toEqual({ active: undefined, next: undefined, others: [] })
  })

  test('a plugin that is disabled during a switch is stopped after the switch', async () => {
    const { seat, calls, arrive } = seatOf(['two'])
    for (const step of upgrading) await seat.follow(step)
    calls.length = 0
    const following = [seat.follow(switched), seat.follow({ ...switched, spec: { ...switched.spec, enabled: false } })]
    await pause()
    expect(calls).toEqual(['admit two'])
    arrive('two')
    await Promise.all(following)
    expect(calls).toEqual(['admit two', 'retire one', 'abort: upgrade one to two', 'stop two', 'two is Disabled'])
  })

  test('a process that still finishes its work counts until it has exited', async () => {
    const { seat, seated, hold, exit } = seatOf()
    for (const step of upgrading) await seat.follow(step)
    hold.exits = true
    await seat.follow(switched)
    expect(seated()).toEqual({ active: 'two', next: undefined, others: ['one'] })
    exit()
    await pause()
    expect(seated().others).toEqual([])
    hold.exits = false
    await seat[Symbol.asyncDispose]()
  })

  test('a package that was not prepared runs only after the former process has exited', async () => {
    const { seat, calls, hold, exit } = seatOf()
    await seat.follow(todo())
    hold.exits = true
    const following = seat.follow(todo(version('two')))
    await pause()
    expect(calls).toEqual(['run one', 'stop one'])
    exit()
    await following
    expect(calls.at(-1)).toBe('run two')
    hold.exits = false
    await seat[Symbol.asyncDispose]()
  })

  test('a disabled plugin is reported only after every process has exited', async () => {
    const { seat, calls, hold, exit } = seatOf()
    await seat.follow(todo())
    hold.exits = true
    const following = seat.follow(todo({ enabled: false }))
    await pause()
    expect(calls).toEqual(['run one', 'stop one'])
    exit()
    await following
    expect(calls.at(-1)).toBe('one is Disabled')
  })
})

test('the end of a seat aborts its upgrade and stops both versions', async () => {
  const { seat, calls } = seatOf()
  for (const step of upgrading) await seat.follow(step)
  calls.length = 0
  await seat[Symbol.asyncDispose]()
  expect(calls).toEqual(['abort: upgrade one to two', 'stop one', 'stop two'])
})
