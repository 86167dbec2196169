import { computed, ref, watchEffect } from 'vue'

export type Theme = 'light' | 'dark' | 'system'
export type Density = 'compact' | 'comfortable'

const systemIsDark = ref(matchMedia('(prefers-color-scheme: dark)').matches)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => {
  systemIsDark.value = matches
})

/** The chosen theme, or the system's. */
export const theme = ref<Theme>((localStorage.getItem('pergola.theme') as Theme | null) ?? 'system')
export const density = ref<Density>((localStorage.getItem('pergola.density') as Density | null) ?? 'compact')
/** Whether the menu is collapsed to its icons. */
export const isRail = ref((localStorage.getItem('pergola.menu') ?? (innerWidth < 1280 ? 'rail' : 'full')) === 'rail')

export const isDark = computed(() => (theme.value === 'system' ? systemIsDark.value : theme.value === 'dark'))

watchEffect(() => {
  const { dataset } = document.documentElement
  dataset['theme'] = isDark.value ? 'dark' : 'light'
  dataset['density'] = density.value
  localStorage.setItem('pergola.theme', theme.value)
  localStorage.setItem('pergola.density', density.value)
  localStorage.setItem('pergola.menu', isRail.value ? 'rail' : 'full')
})
