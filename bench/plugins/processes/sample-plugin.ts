import { defineModel, definePlugin, invalid, t } from '@pergola/plugin-sdk'

const spec = t.Object({ title: t.String({ maxLength: 200 }), count: t.Integer() })

/** A model that only the host handles, and one that the plugin evaluates. */
const Plain = defineModel({ apiVersion: 'sample.example.com/v1', kind: 'Plain', plural: 'plains', spec })
const Asked = defineModel({
  apiVersion: 'sample.example.com/v1',
  kind: 'Asked',
  plural: 'askeds',
  spec,
  indexes: [{ name: 'words', multi: (asked) => asked.spec.title.toLowerCase().split(' ') }],
  check: (asked) => {
    if (asked.spec.count < 0) invalid('spec.count', 'must be 0 or more')
  },
})

// oxlint-disable-next-line import/no-default-export -- a plugin is the default export of its entry
export default definePlugin({ name: 'sample', models: [Plain, Asked] })
