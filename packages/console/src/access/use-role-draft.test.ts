import type { Role } from '@pergola/api'
import { expect, test } from 'vitest'
import { shallowRef } from 'vue'
import { rulesIn, useRoleDraft } from './use-role-draft.ts'

const key = 'rbac.authorization.platform.run/dependencies'
const part = (name: string, needs: readonly string[] = []) =>
  ({ metadata: { name, version: 0, annotations: { [key]: JSON.stringify(needs) } }, rules: [] }) as unknown as Role

test('chosen parts are saved as dependencies, and what they need is known with its reason', () => {
  const all = [part('view'), part('manage', ['view'])]
  const { toggle, draft, needed, newName } = useRoleDraft(
    () => undefined,
    () => all,
  )
  newName.value = 'staff'
  toggle('manage', true)
  expect(draft.value.metadata.name).toBe('staff')
  expect(draft.value.metadata.annotations?.[key]).toBe('["manage"]')
  expect([...needed.value]).toEqual([['view', ['manage']]])
  toggle('manage', false)
  expect(draft.value.metadata.annotations?.[key]).toBe('[]')
})

test('a draft is edited until it has the stored or settled values', () => {
  const role = shallowRef(part('staff', ['view']))
  const { displayName, toggle, isEdited, settle } = useRoleDraft(
    () => role.value,
    () => [],
  )
  const seen = [isEdited.value]
  toggle('view', false)
  seen.push(isEdited.value)
  toggle('view', true)
  seen.push(isEdited.value)
  displayName.value = 'Staff'
  seen.push(isEdited.value)
  settle()
  seen.push(isEdited.value)
  expect(seen).toEqual([false, true, false, true, false])
})

test('a text that is no list of rules is not saved as an empty list', () => {
  const role = shallowRef(part('staff'))
  const { ownRules, isUnreadable } = useRoleDraft(
    () => role.value,
    () => [],
  )
  expect(isUnreadable.value).toBe(false)
  for (const text of ['verbs: get', '- [', 'just text']) {
    ownRules.value = text
    expect([text, isUnreadable.value, rulesIn(text)]).toEqual([text, true, undefined])
  }
})
