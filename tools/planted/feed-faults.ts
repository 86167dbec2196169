import type { Edit, PlantedFault } from './planted-fault.ts'

const folder = 'packages/feed-nats/src'

/** Faults that make a change lost, duplicated, forged or stale on its way through NATS. */
const faults: readonly (readonly [what: string, edit: Edit, test: string, expect: RegExp])[] = [
  [
    'a relay that was replaced still gets messages into the stream',
    { file: `${folder}/stream.ts`, replace: '{ expect: { lastSequence: expected } }', by: '{}' },
    'nats-feed.test.ts -t "both believe"',
    /both believe to hold the lease/,
  ],
  [
    'what was handed out already is handed out again',
    {
      file: `${folder}/take.ts`,
      replace: 'changes.slice(handing.place.number - from.number)',
      by: 'changes',
    },
    'take.test.ts',
    /are dropped, wholly or in part/,
  ],
  [
    'what is missing before a message, and cannot be read, is passed over',
    { file: `${folder}/take.ts`, replace: 'if (!isKnown(handing, from)) return', by: '' },
    'take.test.ts',
    /a gap that cannot be read/,
  ],
  [
    'what is missing before a message is not read',
    { file: `${folder}/take.ts`, replace: 'await fillGap(parts, message)', by: '' },
    'take.test.ts',
    /changes missing before a message/,
  ],
  [
    'the log is not read while NATS is gone',
    { file: `${folder}/standing.ts`, replace: 'unproven < unprovenMs', by: 'unproven < 1e9' },
    'nats-feed.test.ts -t "NATS is gone"',
    /while NATS is gone/,
  ],
  [
    'a message counts without its seal',
    { file: `${folder}/message.ts`, replace: 'headerBytes || !seals.isSealed(bytes)', by: 'headerBytes' },
    'take.test.ts',
    /with an invalid seal/,
  ],
  [
    'an old answer proves that nothing has happened since',
    {
      file: `${folder}/message.ts`,
      replace: 'nonceBytes).equals(nonce)) return undefined',
      by: 'nonceBytes)) return undefined',
    },
    'message.test.ts',
    /the question that it names/,
  ],
  [
    'what the log had brought counts as brought by NATS',
    { file: `${folder}/standing.ts`, replace: '(standing.stream?.number ?? -1) >= place.number', by: 'true' },
    'take.test.ts',
    /do not prove that NATS delivers/,
  ],
  [
    'who is cut off from NATS goes on to hold the lease',
    { file: `${folder}/relay.ts`, replace: ' && link.connection() === connection', by: '' },
    'nats-feed.test.ts -t "cut off from NATS"',
    /is cut off from NATS, another one does it/,
  ],
]

const sequencer = 'packages/server/src/store/postgres/changelog/sequencer'

/** Faults that make a change wait for a sequencer pass because other replicas run passes. */
const passFaults: readonly (readonly [what: string, replace: string, by: string, expect: RegExp])[] = [
  [
    'what was committed here is left to others',
    'if (!isOwed && untilMs > 0)',
    'if (untilMs > 0)',
    /never leaves its own commits/,
  ],
  ['a change that is read again tells of a pass', 'if (number <= newest) return', '', /do not imply a pass/],
  [
    'others are relied on for ever',
    'Math.min(sawAt + settledMs, ranAt + ownMs)',
    '(sawAt + settledMs)',
    /count only for a limited time/,
  ],
]

export const feedFaults: readonly PlantedFault[] = [
  ...faults.map(([what, edit, test, expect]) => ({
    name: `changes by NATS: ${what}`,
    edits: [edit],
    command: `npm test -- --project unit ${folder}/${test}`,
    expect,
  })),
  ...passFaults.map(([what, replace, by, expect]) => ({
    name: `changes in order: ${what}`,
    edits: [{ file: `${sequencer}.ts`, replace, by }],
    command: `npm test -- --project unit ${sequencer}.test.ts`,
    expect,
  })),
]
