import { expect, test } from 'vitest'
import { shownPath } from './shown-path.ts'

const secret = `pgl_${'aB3-_'.repeat(9).slice(0, 43)}`
const cases: readonly (readonly [target: string, shown: string])[] = [
  ['/api/v1alpha1/roles/author', '/api/v1alpha1/roles/author'],
  [`/apis?token=${secret}`, '/apis'],
  [`/apis#${secret}`, '/apis'],
  [`/api/v1alpha1/roles/${secret}`, '/api/v1alpha1/roles/…'],
  [`/api/v1alpha1/roles/x${secret}/y`, '/api/v1alpha1/roles/x…/y'],
  ['/auth/sessions', '/auth/sessions'],
  ['/auth/sessions/-', '/auth/sessions/-'],
  ['/auth/sessions/0190-a', '/auth/sessions/…'],
  ['http://a.example/auth/sessions/0190-a?x', 'http://a.example/auth/sessions/…'],
  ['', ''],
]
for (const [target, shown] of cases) {
  test(`"${target}" is logged as "${shown}"`, () => {
    expect(shownPath(target)).toBe(shown)
  })
}
