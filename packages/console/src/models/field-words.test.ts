import { expect, it } from 'vitest'
import { hintOf, valueText, wrongWith } from './field-words.ts'

it('shows the error of the server before local errors', () => {
  const told = [{ field: 'spec.amount', rule: 'check', message: 'is more than the budget' }]
  expect(wrongWith(-3, { type: 'number', minimum: 0 }, told)).toBe('Is more than the budget.')
  expect(wrongWith(-3, { type: 'number', minimum: 0 }, [])).toBe('At least 0.')
  expect(wrongWith(3, { type: 'number', minimum: 0 }, [])).toBeUndefined()
})

it('counts the characters of a long text below its description', () => {
  expect(hintOf('four', { description: 'Shown to all.', maxLength: 500 }, 'long-text')).toMatch(
    /^Shown to all\. 4\D+500/,
  )
  expect(hintOf('four', {}, 'text')).toBeUndefined()
})

it('shows a former value as its field does', () => {
  expect(valueText('toApprove', { enum: ['toApprove'] })).toBe('To approve')
  expect(valueText('2026-11-24', { type: 'string', format: 'date' })).toMatch(/24/)
  expect(valueText(undefined, { type: 'string' })).not.toBe('undefined')
  expect(valueText(8640.5, { type: 'number', 'x-display': { as: 'currency', unit: { before: '€' } } })).toBe(
    '€ 8,640.50',
  )
})
