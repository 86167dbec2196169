import { ref, watch, type Ref } from 'vue'
import { parse, stringify } from 'yaml'
import { words } from '../words/words.ts'

type Fields = Readonly<Record<string, unknown>>

export interface YamlText {
  readonly text: Ref<string>
  /** Replaces invalid text by the draft as YAML. */
  readonly rewrite: () => void
}

/** A draft that can also be edited as YAML. */
export interface YamlDraft<T extends Fields> {
  readonly draft: Ref<T | undefined>
  /** The parse error; empty if the text is valid. While it is invalid, the draft keeps its last value. */
  readonly fault: Ref<string>
  /** Why this draft is rejected. */
  readonly refuse?: (typed: Fields) => string | undefined
}

/** The draft as YAML. The text follows the draft, except while the text is being edited. */
export function useYamlText<T extends Fields>({ draft, fault, refuse }: YamlDraft<T>): YamlText {
  const text = ref('')
  let typed: unknown
  const rewrite = () => {
    fault.value = ''
    text.value = draft.value ? stringify(draft.value) : ''
  }
  watch(
    draft,
    (now) => {
      if (now !== typed) rewrite()
    },
    { immediate: true },
  )
  watch(text, (now) => {
    if (draft.value && now === stringify(draft.value)) {
      fault.value = ''
      return
    }
    try {
      const fields: unknown = parse(now)
      fault.value = isMapping(fields) ? (refuse?.(fields) ?? '') : words.value.object.notMapping
      if (fault.value !== '') return
      typed = fields
      draft.value = fields as T
    } catch (reason) {
      fault.value = words.value.object.notYaml((reason as Error).message)
    }
  })
  return { text, rewrite }
}

function isMapping(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
