import { ref, watch, type Ref } from 'vue'
import { parse, stringify } from 'yaml'
import { words } from '../words/words.ts'

type Fields = Readonly<Record<string, unknown>>

export interface YamlText {
  readonly text: Ref<string>
  /** Writes the draft again, in place of a text that cannot be read. */
  readonly rewrite: () => void
}

/** A draft that is edited as text, too. */
export interface YamlDraft<T extends Fields> {
  readonly draft: Ref<T | undefined>
  /** Why the text cannot be read; empty when it can. The draft is then as it was before. */
  readonly fault: Ref<string>
  /** A reason why this draft cannot be taken. */
  readonly refuse?: (typed: Fields) => string | undefined
}

/** The draft as text. The text follows the draft, except while the text is being edited. */
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
