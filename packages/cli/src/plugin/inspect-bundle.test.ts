import { once } from 'node:events'
import { expect, test } from 'vitest'
import { beginReader, inspectBundle } from './inspect-bundle.ts'

test('a process that was cancelled before it is asked does not keep the inspection waiting', async () => {
  const stopping = new AbortController()
  const reader = beginReader(stopping.signal)
  stopping.abort()
  await once(reader.child, 'close')
  const bundle = { code: 'export default {}', map: '{}', inlined: [], sources: [] }
  const asked = inspectBundle(bundle, { comesWithHost: false, times: 1, reader })
  await expect(asked).rejects.toThrow('aborted')
})
