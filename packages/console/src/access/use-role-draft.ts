import { roleKeys, type Role } from '@pergola/api'
import { computed, ref, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import { parse, stringify } from 'yaml'
import { dependenciesOf, displayNameOf, withNeeded } from './role-words.ts'

export interface RoleDraft {
  readonly newName: Ref<string>
  readonly displayName: Ref<string>
  /** Names of the chosen role templates. */
  readonly chosen: ShallowRef<ReadonlySet<string>>
  /** Dependencies of the chosen templates, each with the templates that need it. */
  readonly needed: ComputedRef<ReadonlyMap<string, readonly string[]>>
  readonly ownRules: Ref<string>
  /** The rules' YAML cannot be parsed as a list. */
  readonly isUnreadable: ComputedRef<boolean>
  /** Something differs from the stored role, or from an empty one. */
  readonly isEdited: ComputedRef<boolean>
  /** Takes the draft as stored. */
  readonly settle: () => void
  /** The role as `save` would send it. */
  readonly draft: ComputedRef<Role>
  readonly toggle: (part: string, isOn: boolean) => void
}

/** The draft of a role. A newer version from the server replaces it. */
export function useRoleDraft(role: () => Role | undefined, all: () => readonly Role[]): RoleDraft {
  const newName = ref('')
  const displayName = ref('')
  const chosen = shallowRef<ReadonlySet<string>>(new Set())
  const ownRules = ref('[]\n')
  const settled = ref('')
  const asText = () => JSON.stringify([newName.value, displayName.value, [...chosen.value].toSorted(), ownRules.value])
  const settle = () => {
    settled.value = asText()
  }
  settle()
  watch(
    role,
    (now, before) => {
      if (!now || before?.metadata.version === now.metadata.version) return
      displayName.value = displayNameOf(now)
      chosen.value = new Set(dependenciesOf(now))
      ownRules.value = stringify(now.rules)
      settle()
    },
    { immediate: true },
  )
  const typed = computed(() => rulesIn(ownRules.value))
  const draft = computed((): Role => {
    const base = role() ?? ({ metadata: { name: newName.value } } as Role)
    const annotations = {
      ...base.metadata.annotations,
      ...(displayName.value !== '' && { [roleKeys.displayName]: displayName.value }),
      [roleKeys.dependencies]: JSON.stringify([...chosen.value].toSorted()),
    }
    return { ...base, metadata: { ...base.metadata, annotations }, rules: typed.value ?? [] }
  })
  return {
    newName,
    displayName,
    chosen,
    needed: computed(() => withNeeded(chosen.value, all())),
    ownRules,
    isEdited: computed(() => asText() !== settled.value),
    settle,
    isUnreadable: computed(() => typed.value === undefined),
    draft,
    toggle: (part, isOn) => {
      const next = new Set(chosen.value)
      if (isOn) next.add(part)
      else next.delete(part)
      chosen.value = next
    },
  }
}

/** Undefined if the text is not a list. */
export function rulesIn(text: string): Role['rules'] | undefined {
  try {
    const typed: unknown = parse(text)
    return Array.isArray(typed) ? (typed as Role['rules']) : undefined
  } catch {
    return undefined
  }
}
