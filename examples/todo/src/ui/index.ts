import { client, definePages, holdsAll, PageHeader, StateCard, tellProblem, TimeAgo } from '@pergola/console'
import { useLiveList } from '@pergola/console'
import { defineComponent, h, withModifiers } from 'vue'
import type { Todo } from '../plugin.ts'

// The model by its address. `typeof Todo` brings the types; no code of the plugin comes to the browser.
const todos: Pick<typeof Todo, 'group' | 'version' | 'plural' | 'singular' | 'types'> = {
  group: 'todo.example.com',
  version: 'v1alpha1',
  plural: 'todos',
  singular: 'todo',
}

type OpenTodo = NonNullable<(typeof Todo)['object']>

const OpenTodos = defineComponent(() => {
  // Listed once, then kept current by a watch until the page is closed.
  const { items, isReady, error } = useLiveList(todos, { where: { 'spec.state': 'open' }, sort: 'spec.due' })

  // With the rights of the viewer: the server decides. The permission below only decides what is shown.
  const finish = ({ metadata }: OpenTodo) =>
    client
      .collection(todos)
      .update(metadata.name, (todo) => (todo.spec.state = 'done'))
      .catch(tellProblem)

  // The box stays empty: once the server has stored the change, the watch takes the todo off the list.
  const tick = (todo: OpenTodo) => withModifiers(() => finish(todo), ['prevent'])

  const line = (todo: OpenTodo) =>
    h('li', { key: todo.metadata.uid }, [
      h('label', [
        holdsAll(['plugin:todo:manage']) && h('input', { type: 'checkbox', onClick: tick(todo) }),
        h('span', todo.spec.title),
      ]),
      h('span', { class: 'muted' }, [todo.spec.owner, todo.spec.due && [', due ', h(TimeAgo, { at: todo.spec.due })]]),
    ])

  const content = () => {
    if (error.value) return h(StateCard, { error: error.value })
    if (!isReady.value) return h(StateCard, { loading: true })
    if (items.value.length > 0) return h('ul', { class: 'todos' }, items.value.map(line))
    return h(StateCard, { title: 'Nothing to do', detail: 'A new todo is shown here as soon as somebody creates it.' })
  }

  return () =>
    h('div', { class: 'stack' }, [
      h(PageHeader, { title: 'Open todos', lead: isReady.value ? `${items.value.length} open` : undefined }),
      h('div', { class: 'card' }, content()),
    ])
})

// The path of each page in `definePlugin`, and its component.
export default definePages({ '': OpenTodos })
