import { computed, ref, shallowRef, watchEffect } from 'vue'
import { en, type Words } from './en.ts'

export type Language = 'en' | 'zh'
export const languages: Readonly<Record<Language, string>> = { en: 'English', zh: '中文' }

const key = 'pergola.language'

/** All texts of the console in the chosen language; in a template, `words.login.title`. */
export const words = shallowRef<Words>(en)
export const language = ref<Language>('en')
/** For dates and times: day before month, 24 hours. */
export const locale = computed(() => (language.value === 'zh' ? 'zh-CN' : 'en-GB'))

/** Uses the chosen language, else the browser's; stores later choices. */
export function startWords(): void {
  language.value = chosen()
  watchEffect(() => {
    const wanted = language.value
    document.documentElement.lang = wanted === 'zh' ? 'zh-CN' : wanted
    localStorage.setItem(key, wanted)
    void load(wanted)
  })
}

function chosen(): Language {
  const kept = localStorage.getItem(key)
  if (kept === 'en' || kept === 'zh') return kept
  return navigator.language.startsWith('zh') ? 'zh' : 'en'
}

async function load(wanted: Language): Promise<void> {
  const loaded = wanted === 'en' ? en : (await import('./zh.ts')).zh
  if (language.value === wanted) words.value = loaded
}
