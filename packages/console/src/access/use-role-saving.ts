import { coreResources, type Role } from '@pergola/api'
import { useQueryClient } from '@tanstack/vue-query'
import { computed, ref, shallowRef, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import { useRouter } from 'vue-router'
import { tellDone } from '../kit/tell.ts'
import { useModels } from '../models/listed-models.ts'
import { client } from '../server/client.ts'
import { words } from '../words/words.ts'
import type { RoleEdit } from './people-change.ts'
import { rightsChange, type RightsChange } from './rights-change.ts'
import { effectiveRules, type EffectiveRule } from './role-words.ts'
import type { RoleDraft } from './use-role-draft.ts'

/** A change of rights that waits for a confirmation. */
interface AskedChange {
  readonly edit: RoleEdit
  readonly change: RightsChange
  readonly role: Role
}

interface SavingParts {
  /** `-new` for a role that does not exist yet. */
  readonly name: () => string
  readonly all: () => readonly Role[]
  readonly draft: RoleDraft
  readonly mayNot: () => boolean
}

interface RoleSaving {
  readonly effective: ComputedRef<readonly EffectiveRule[]>
  readonly isBusy: Ref<boolean>
  readonly failure: ShallowRef<unknown>
  readonly asked: ShallowRef<AskedChange | undefined>
  readonly isAsking: Ref<boolean>
  /** Other rights of a role that people may hold are confirmed first. */
  readonly save: () => Promise<void>
  readonly confirmed: () => Promise<void>
}

export function useRoleSaving({ name, all, draft, mayNot }: SavingParts): RoleSaving {
  const router = useRouter()
  const queryClient = useQueryClient()
  const models = useModels()
  const stored = () => all().find(({ metadata }) => metadata.name === name())
  const after = computed(() => [...all().filter((role) => role !== stored()), draft.draft.value])
  const effective = computed(() => effectiveRules(draft.draft.value, after.value))

  const asked = shallowRef<AskedChange>()
  const isAsking = ref(false)
  const isBusy = ref(false)
  const failure = shallowRef<unknown>()
  function changeNow(): AskedChange | undefined {
    const role = stored()
    if (!role) return undefined
    const edit = { name: name(), before: all(), after: after.value, models: models.data.value ?? [] }
    const [before, now] = [effectiveRules(role, all()), effective.value].map((rules) => rules.map(({ rule }) => rule))
    const change = rightsChange(before ?? [], now ?? [], edit.models)
    return change.gained.length + change.lost.length > 0 ? { edit, change, role: draft.draft.value } : undefined
  }
  async function store({ metadata, rules, ...rest }: Role): Promise<void> {
    const roles = client.resource(coreResources.roles)
    if (name() === '-new') {
      const { name: chosen, annotations } = metadata
      await roles.create({ metadata: { name: chosen, annotations }, rules })
      draft.settle()
      await router.replace({ name: 'role', params: { name: chosen } })
    } else {
      await roles.update({ ...rest, metadata, rules })
      draft.settle()
    }
    tellDone(words.value.role.saved)
    await queryClient.invalidateQueries({ queryKey: ['roles'] })
  }
  return {
    effective,
    isBusy,
    failure,
    asked,
    isAsking,
    save: async () => {
      if (mayNot() || draft.isUnreadable.value || isBusy.value) return
      asked.value = changeNow()
      isAsking.value = asked.value !== undefined
      if (isAsking.value) return
      isBusy.value = true
      failure.value = undefined
      try {
        await store(draft.draft.value)
      } catch (reason) {
        failure.value = reason
      } finally {
        isBusy.value = false
      }
    },
    confirmed: async () => {
      if (asked.value) await store(asked.value.role)
    },
  }
}
