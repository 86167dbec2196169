import { computed, type ComputedRef } from 'vue'
import { language } from '../words/words.ts'

/** The texts of a plugin in the console's language; a language without texts gets the English ones. */
export function words<Texts extends object>(texts: { readonly en: Texts; readonly zh?: Texts }): ComputedRef<Texts> {
  return computed(() => texts[language.value] ?? texts.en)
}
