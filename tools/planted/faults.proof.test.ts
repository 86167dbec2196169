import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { conformanceFaults } from './conformance-faults.ts'
import { plantedInGates } from './gates.ts'

/** Detects early that a fault no longer matches the source, because it would prove nothing. */
test('the text by which a promise is broken occurs in its file once', () => {
  const wrong = conformanceFaults.flatMap(({ promise, file, find }) =>
    readFileSync(file, 'utf8').split(find).length === 2 ? [] : [`${promise}: ${file} ${find}`],
  )
  expect(wrong).toEqual([])
})

test('the text that a planted fault replaces exists in its file', () => {
  const edits = plantedInGates.flatMap((fault) => fault.edits)
  const wrong = edits.flatMap((edit) =>
    'add' in edit || readFileSync(edit.file, 'utf8').includes(edit.replace) ? [] : [`${edit.file} ${edit.replace}`],
  )
  expect(wrong).toEqual([])
})
