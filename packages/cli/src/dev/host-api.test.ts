import { expect, test } from 'vitest'
import { HostRefusal, refuseFailed } from './host-api.ts'

const sent = { digest: 'new', version: '1.0.0+dev.1' }
const failed = { to: sent.version, phase: 'Failed', message: 'why' }
type Plugin = Parameters<typeof refuseFailed>[0]
type State = Parameters<typeof refuseFailed>[2]

const rows: readonly (readonly [what: string, plugin: Plugin, state: State, message: string | undefined])[] = [
  [
    'is prepared, whatever an earlier try came to',
    { spec: { digest: 'old', candidate: { digest: 'new' } }, status: { upgrade: failed } },
    { phase: 'Failed' },
    undefined,
  ],
  [
    'is withdrawn, and nobody has said why yet',
    { spec: { digest: 'old' }, status: { upgrade: { to: sent.version, phase: 'Preparing' } } },
    undefined,
    undefined,
  ],
  ['is withdrawn', { spec: { digest: 'old' }, status: { upgrade: failed } }, undefined, 'why'],
  ['holds, and is not started yet', { spec: { digest: 'new' } }, { phase: 'NotStarted' }, undefined],
  ['holds, and cannot be started', { spec: { digest: 'new' } }, { phase: 'Failed', message: 'no' }, 'no'],
  [
    'holds, and ends again and again',
    { spec: { digest: 'new' } },
    { phase: 'NotStarted', reason: 'BackingOff', message: 'ended' },
    'ended',
  ],
  [
    'holds, and waits for another',
    { spec: { digest: 'new' } },
    { phase: 'NotStarted', reason: 'WaitingForDependency' },
    undefined,
  ],
]
test.each(rows)('what was sent %s', (_, plugin, state, message) => {
  const look = () => refuseFailed(plugin, sent, state)
  if (message === undefined) expect(look).not.toThrow()
  else expect(look).toThrow(new HostRefusal(message, {}))
})
