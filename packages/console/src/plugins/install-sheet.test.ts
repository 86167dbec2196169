import type { Plan, PlanItem, PlanSectionCode } from '@pergola/api'
import { expect, test } from 'vitest'
import { approvalsOf, decisionsLeft, sheetOf } from './install-sheet.ts'

const item = (code: string, values: object, more: object = {}) => ({ code, values, ...more }) as unknown as PlanItem
const route = (path: string, more: object = {}, values: object = {}) =>
  item('route', { method: 'GET', path, ...values }, more)
const planOf = (
  sections: Partial<Record<PlanSectionCode, readonly PlanItem[]>>,
): Pick<Plan, 'sections' | 'approvals'> => ({
  sections: Object.entries(sections).map(([code, items]) => ({ code: code as PlanSectionCode, items })),
  approvals: Object.values(sections).flatMap((items) => items.flatMap(({ approval }) => approval ?? [])),
})
const joins = item(
  'joins-role',
  { role: 'own', target: 'authenticated' },
  { risk: 'everybody', approval: 'own into authenticated' },
)
const plan = planOf({
  public: [route('/shares', { risk: 'decision', approval: 'public: GET /shares' })],
  'signed-in': [joins, route('/share', { risk: 'everybody' })],
  roles: [
    route('/stats', { risk: 'role' }, { role: 'view', displayName: 'View' }),
    route('/shares', {}, { role: 'view' }),
  ],
  requests: [item('console-code', {}, { risk: 'decision', approval: 'console-code' })],
  needs: [item('host-version', { range: '1.x' }), item('plugin-version', { plugin: 'shop', range: '1.x' })],
})

test('each dangerous right is a decision of its own, and nothing else is', () => {
  expect(sheetOf(plan).decisions.map(({ approval }) => approval)).toEqual(['public: GET /shares', 'console-code'])
})

test('an approval of unknown risk is a decision', () => {
  const { decisions } = sheetOf(planOf({ roles: [item('includes-role', { other: 'x' }, { approval: 'a with x' })] }))
  expect(decisions.map(({ approval }) => approval)).toEqual(['a with x'])
})

test('an approval that no item explains is a decision', () => {
  expect(sheetOf({ sections: [], approvals: ['unexplained'] }).decisions).toEqual([{ approval: 'unexplained' }])
})

test('only ticked decisions are approved, with what the sheet shows for everybody', () => {
  const sheet = sheetOf(plan)
  expect(approvalsOf(sheet, new Set())).toEqual(['own into authenticated'])
  expect(decisionsLeft(sheet, new Set(['console-code']))).toBe(1)
  expect(approvalsOf(sheet, new Set(plan.approvals)).toSorted()).toEqual(plan.approvals.toSorted())
})

test('an address is listed once, for the widest circle', () => {
  expect(sheetOf(plan).routes.map(({ path, who }) => `${path} ${who}`)).toEqual([
    '/shares anybody',
    '/share signed-in',
    '/stats role',
  ])
})

test('the host version is in the header, other requirements are listed', () => {
  expect(sheetOf(plan).others.map(({ code, items }) => [code, items.length])).toEqual([['needs', 1]])
})

test('an upgrade lists differences; what needs a tick is not repeated', () => {
  const { changes, decisions, roles } = sheetOf(
    planOf({
      roles: [route('/stats', { change: '-', risk: 'none' }, { role: 'view' })],
      requests: [item('resource', {}, { change: '+', risk: 'decision', approval: 'get users' })],
    }),
  )
  expect([changes.length, decisions.length, roles.length]).toEqual([1, 1, 0])
})

test('blocking items of a plan are separate', () => {
  const { blocked, others } = sheetOf(planOf({ blocked: [item('refused', { reason: 'Forbidden', message: 'no' })] }))
  expect([blocked.length, others.length]).toEqual([1, 0])
})
