import { VueQueryPlugin } from '@tanstack/vue-query'
import { createApp } from 'vue'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import App from './app.vue'
import { router } from './router.ts'
import PermissionGate from './session/permission-gate.vue'
import { startWords } from './words/words.ts'

startWords()
createApp(App)
  .component('PermissionGate', PermissionGate)
  .use(router)
  .use(VueQueryPlugin, {
    queryClientConfig: { defaultOptions: { queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: true } } },
  })
  .mount('#console')
