import { Activity, Boxes, CircleQuestionMark, CircleUser, House, Puzzle, Shield, Users } from '@lucide/vue'
import type { RouteLocationNormalized, RouteRecordRaw } from 'vue-router'
import { words } from '../words/words.ts'

const pluginsGroup = 'plugin.platform.run'

/** A key per path recreates the component, so that input for one object does not stay on the page of another. */
const keyedByPath = ({ params, path }: RouteLocationNormalized) => ({ ...params, key: path })

/** The pages of the host. `meta.needs` decides who sees them; the API checks every request again. */
export const entries: readonly RouteRecordRaw[] = [
  {
    path: '/home',
    name: 'home',
    component: async () => import('../home/home-page.vue'),
    meta: { title: () => words.value.menu.home, icon: House },
  },
  {
    path: '/metrics',
    name: 'metrics',
    component: async () => import('../home/metrics-page.vue'),
    meta: {
      needs: { verb: 'list', group: 'console.api.platform.run', resource: 'overview' },
      title: () => words.value.metrics.title,
      icon: Activity,
    },
  },
  {
    path: '/models',
    name: 'models',
    component: async () => import('../models/models-page.vue'),
    meta: { title: () => words.value.models.title, icon: Boxes },
  },
  {
    path: '/objects/:group/:version/:plural',
    name: 'objects',
    component: async () => import('../models/objects-page.vue'),
    props: true,
  },
  {
    path: '/objects/:group/:version/:plural/-new',
    name: 'new-object',
    component: async () => import('../models/new-object-page.vue'),
    props: keyedByPath,
  },
  {
    path: '/objects/:group/:version/:plural/:name',
    name: 'object',
    component: async () => import('../models/object-page.vue'),
    props: keyedByPath,
  },
  {
    path: '/users',
    name: 'users',
    component: async () => import('../access/users-page.vue'),
    meta: { needs: { verb: 'list', group: '', resource: 'users' }, title: () => words.value.users.title, icon: Users },
  },
  {
    path: '/users/:name',
    name: 'user',
    component: async () => import('../access/user-page.vue'),
    props: true,
    meta: { needs: { verb: 'get', group: '', resource: 'users' } },
  },
  {
    path: '/roles',
    name: 'roles',
    component: async () => import('../access/roles-page.vue'),
    meta: { needs: { verb: 'list', group: '', resource: 'roles' }, title: () => words.value.roles.title, icon: Shield },
  },
  {
    path: '/roles/:name',
    name: 'role',
    component: async () => import('../access/role-page.vue'),
    props: keyedByPath,
    meta: { needs: { verb: 'get', group: '', resource: 'roles' } },
  },
  {
    path: '/why',
    name: 'why',
    component: async () => import('../access/why-page.vue'),
    meta: { title: () => words.value.why.title, icon: CircleQuestionMark },
  },
  {
    path: '/plugins',
    name: 'plugins',
    component: async () => import('../plugins/plugins-page.vue'),
    meta: {
      needs: { verb: 'list', group: pluginsGroup, resource: 'plugins' },
      title: () => words.value.plugins.title,
      icon: Puzzle,
    },
  },
  {
    path: '/plugins/-/install',
    name: 'install-plugin',
    component: async () => import('../plugins/install-page.vue'),
    meta: {
      needs: { verb: 'create', group: 'console.api.platform.run', resource: 'plugins', subresource: 'packages' },
      title: () => words.value.install.title,
    },
  },
  {
    path: '/plugins/:name',
    name: 'plugin',
    component: async () => import('../plugins/plugin-page.vue'),
    props: true,
    meta: { needs: { verb: 'get', group: pluginsGroup, resource: 'plugins' } },
  },
  {
    path: '/account',
    name: 'account',
    component: async () => import('../session/account-page.vue'),
    meta: { title: () => words.value.account.title, icon: CircleUser },
  },
]
