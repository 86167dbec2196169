import { expect, test } from 'vitest'
import { userTerms } from './user-terms.ts'

test.each([
  ['ann', ['metadata.name ann', 'spec.displayName Ann', 'spec.displayName ann', 'spec.email ann']],
  ['Ann B', ['spec.displayName Ann B']],
  ['ann b', ['spec.displayName Ann B', 'spec.displayName ann b']],
  ['Ann@x', ['spec.displayName Ann@x', 'spec.email ann@x']],
  ['李伟', ['spec.displayName 李伟', 'spec.email 李伟']],
  ['  ', []],
])('"%s" is looked for as %j', (typed, expected) => {
  expect(userTerms(typed).map((term) => `${term.key} ${'value' in term ? term.value : ''}`)).toEqual(expected)
})
