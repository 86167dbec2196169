import { VueQueryPlugin } from '@tanstack/vue-query'
import { createApp } from 'vue'
import 'element-plus/theme-chalk/base.css'
import 'element-plus/theme-chalk/dark/css-vars.css'
import './styles/element.ts'
import './styles/theme.css'
import './styles/base.css'
import App from './app.vue'
import { router } from './router.ts'
import PermissionGate from './session/permission-gate.vue'

createApp(App)
  .component('PermissionGate', PermissionGate)
  .use(router)
  .use(VueQueryPlugin, {
    queryClientConfig: { defaultOptions: { queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: true } } },
  })
  .mount('#console')
