import { computed, ref, watchEffect } from 'vue'

export type Theme = 'light' | 'dark' | 'system'

const key = 'pergola.theme'
const systemIsDark = ref(matchMedia('(prefers-color-scheme: dark)').matches)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => {
  systemIsDark.value = matches
})

/** As it was chosen; as the system has it until then. */
export const theme = ref<Theme>((localStorage.getItem(key) as Theme | null) ?? 'system')
export const isDark = computed(() => (theme.value === 'system' ? systemIsDark.value : theme.value === 'dark'))

watchEffect(() => {
  document.documentElement.classList.toggle('dark', isDark.value)
  localStorage.setItem(key, theme.value)
})
