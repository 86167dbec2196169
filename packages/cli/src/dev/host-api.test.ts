import { expect, test } from 'vitest'
import { HostRefusal, refuseFailed } from './host-api.ts'

const sent = { digest: 'new', version: '1.0.0+dev.1' }
const failed = { to: sent.version, phase: 'Failed', message: 'why' }
type Plugin = Parameters<typeof refuseFailed>[0]
type State = Parameters<typeof refuseFailed>[2]

const rows: readonly (readonly [what: string, plugin: Plugin, state: State, message: string | undefined])[] = [
  [
    'is being prepared, even after an earlier failed upgrade',
    { spec: { digest: 'old', candidate: { digest: 'new' } }, status: { upgrade: failed } },
    { phase: 'Failed' },
    undefined,
  ],
  [
    'was rolled back, without a reason yet',
    { spec: { digest: 'old' }, status: { upgrade: { to: sent.version, phase: 'Preparing' } } },
    undefined,
    undefined,
  ],
  ['was rolled back', { spec: { digest: 'old' }, status: { upgrade: failed } }, undefined, 'why'],
  ['is active and not started yet', { spec: { digest: 'new' } }, { phase: 'NotStarted' }, undefined],
  ['is active and cannot be started', { spec: { digest: 'new' } }, { phase: 'Failed', message: 'no' }, 'no'],
  [
    'is active and crashes repeatedly',
    { spec: { digest: 'new' } },
    { phase: 'NotStarted', reason: 'BackingOff', message: 'ended' },
    'ended',
  ],
  [
    'is active and waits for a dependency',
    { spec: { digest: 'new' } },
    { phase: 'NotStarted', reason: 'WaitingForDependency' },
    undefined,
  ],
]
test.each(rows)('the uploaded version %s', (_, plugin, state, message) => {
  const look = () => refuseFailed(plugin, sent, state)
  if (message === undefined) expect(look).not.toThrow()
  else expect(look).toThrow(new HostRefusal(message, {}))
})
