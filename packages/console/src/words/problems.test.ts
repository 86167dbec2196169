import { problems } from '@pergola/api'
import { expect, it } from 'vitest'
import { zh } from './zh.ts'

it('has a Chinese title for every reason', () => {
  expect(Object.keys(zh.problems).toSorted()).toEqual(Object.keys(problems).toSorted())
})

it.each([
  ['NotFound', { kind: 'purchase', name: 'desks' }, 'purchase“desks”不存在。'],
  ['Forbidden', { verb: 'delete', resource: 'purchases', group: '' }, '不允许删除 purchases。'],
  ['TooManyRequests', { seconds: 12 }, '请在 12 秒后重试。'],
  ['AlreadyExists', {}, undefined],
  ['PluginTimeout', { plugin: 'todo' }, '请稍后重试。原因见插件“todo”的日志。'],
] as const)('puts %s with its values into Chinese', (reason, params, said) => {
  expect(zh.problems[reason]?.detail?.(params)).toBe(said)
})

it.each([
  ['required', {}, '必填。'],
  ['enum', { allowedValues: ['low', 'high'] }, '只能是：low、high。'],
  ['type', { type: ['string', 'null'] }, '须为文本或空值。'],
  ['format', { format: 'date' }, '须为日期，如 2026-11-24。'],
  ['format', { format: 'made-up' }, undefined],
  ['settings', { belongsIn: 'secret' }, '此设置须存为机密。'],
  ['operation', { reason: 'InUse' }, '此项操作失败：正在使用中。'],
  ['check', {}, undefined],
] as const)('puts the rule %s with its values into Chinese', (rule, params, said) => {
  expect(zh.rules[rule]?.(params)).toBe(said)
})
