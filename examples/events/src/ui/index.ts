import { definePages, PageHeader, StateCard, TimeAgo, useLiveList } from '@pergola/console'
import { defineComponent, h } from 'vue'
import type { Event } from '../models.ts'

// The model by its address. `typeof Event` brings the types; no code of the plugin comes to the browser.
const events: Pick<typeof Event, 'group' | 'version' | 'plural' | 'singular' | 'types'> = {
  group: 'events.example.com',
  version: 'v1',
  plural: 'events',
  singular: 'event',
}

function line({ metadata, spec }: NonNullable<(typeof Event)['object']>) {
  return h('li', { key: metadata.uid }, [
    h('span', [spec.title, ' ', h('span', { class: 'muted' }, h(TimeAgo, { at: spec.start }))]),
    h('meter', { value: spec.taken, max: spec.seats, 'aria-label': 'Seats taken' }),
    h('span', { class: 'muted' }, `${spec.seats - spec.taken} of ${spec.seats} left`),
  ])
}

const Program = defineComponent(() => {
  // Listed once, then kept current by a watch until the page is closed.
  const { items, isReady, error } = useLiveList(events, { sort: 'spec.start' })

  const content = () => {
    if (error.value) return h(StateCard, { error: error.value })
    if (!isReady.value) return h(StateCard, { loading: true })
    if (items.value.length > 0) return h('ul', { class: 'events' }, items.value.map(line))
    return h(StateCard, { title: 'No events', detail: 'A new event is shown here as soon as somebody creates it.' })
  }

  return () =>
    h('div', { class: 'stack' }, [h(PageHeader, { title: 'Program' }), h('div', { class: 'card' }, content())])
})

export default definePages({ '': Program })
