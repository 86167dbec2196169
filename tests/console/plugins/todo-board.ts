import { client, definePages, PageHeader, StateCard } from '@pergola/console'
import { defineComponent, h, onMounted, shallowRef } from 'vue'

/** How many todos are open and done, by the plugin's own API. */
const Board = defineComponent({
  setup: () => {
    const stats = shallowRef<{ readonly open: number; readonly done: number }>()
    const error = shallowRef<unknown>()
    onMounted(async () => {
      const path = '/apis/console.api.todo.example.com/v1alpha1/todos/-/stats'
      try {
        stats.value = (await client.call({ method: 'GET', path })) as { open: number; done: number }
      } catch (reason) {
        error.value = reason
      }
    })
    return () =>
      h('div', { class: 'stack' }, [
        h(PageHeader, { title: 'Todo board', lead: 'A page that comes with the plugin.' }),
        stats.value
          ? h('div', { class: 'card padded board' }, [
              h('p', { class: 'count' }, `${stats.value.open} open`),
              h('p', { class: 'count' }, `${stats.value.done} done`),
            ])
          : h('div', { class: 'card' }, h(StateCard, { error: error.value, loading: true })),
      ])
  },
})

// oxlint-disable-next-line import/no-default-export -- as the console wants it
export default definePages({
  pages: [{ path: '', title: 'Todo board', component: Board, permissions: ['plugin:todo:view'] }],
})
