import { defineModel, definePlugin, roleTemplate, route, t } from '../index.ts'

const all = roleTemplate('all', { displayName: 'All', aggregateTo: ['anonymous'] })

const Thing = defineModel({
  apiVersion: 'isolated.example.com/v1alpha1',
  kind: 'Thing',
  plural: 'things',
  spec: t.Object({}),
})

/** Returns the ID of the process that answers. */
export const processId = route('GET /things/-/process', { allow: all, response: t.Integer() }, () => process.pid)

export const plugin = definePlugin({ name: 'isolated', models: [Thing], roles: [all], public: [processId] })
