import { expect, test } from 'vitest'
import { samplesOf } from './samples.ts'

const document = [
  '# Title',
  '```ts check plugin.ts',
  'export const one = 1',
  '```',
  '```ts',
  'not.looked(at)',
  '```',
  '```ts check',
  "import { one } from './plugin.ts'",
  '```',
].join('\n')

test('samples have unique names and keep the line numbers of the document', () => {
  expect(samplesOf(document)).toEqual([
    { name: 'plugin.ts', text: '\n\nexport const one = 1\n' },
    { name: 'sample-2.ts', text: `${'\n'.repeat(8)}import { one } from './plugin.ts'\n` },
  ])
})
