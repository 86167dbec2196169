import { createRouter, createWebHistory, type RouteRecordRaw } from 'vue-router'
import { words } from './words/words.ts'
import { entries } from './shell/host-pages.ts'
import { showPageFailures } from './shell/page-failure.ts'

const open: readonly RouteRecordRaw[] = [
  {
    path: '/login',
    name: 'login',
    component: async () => import('./session/login-page.vue'),
    meta: { isPublic: true, title: () => words.value.login.title },
  },
  {
    path: '/setup',
    name: 'setup',
    component: async () => import('./session/setup-page.vue'),
    meta: { isPublic: true, title: () => words.value.setup.title },
  },
]

const elsewhere: RouteRecordRaw = {
  path: '/:rest(.*)*',
  name: 'nothing-here',
  component: async () => import('./shell/nothing-here.vue'),
}

export const router = createRouter({
  history: createWebHistory('/console'),
  // Redirects `/`, so that the address never ends in a slash.
  routes: [{ path: '/', redirect: '/home' }, { path: '/overview', redirect: '/home' }, ...open, ...entries, elsewhere],
})
showPageFailures(router)
