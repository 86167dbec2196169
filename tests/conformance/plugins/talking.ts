import { definePlugin, notFound, roleTemplate, route } from '@pergola/plugin-sdk'

const listen = roleTemplate('listen', { displayName: 'Listen' })
const count = roleTemplate('count', { displayName: 'Count' })
const seen = { begun: 0, aborted: 0 }

/** Sends caller and headers first, then echoes every message. */
const echo = route('GET /rooms/:name/echo', { stream: true, allow: listen }, ({ params, caller, request, upgrade }) => {
  if (params.name === 'nowhere') notFound('room')
  return upgrade(
    async (socket) => {
      await socket.send(JSON.stringify({ caller: caller.name ?? null, headers: Object.fromEntries(request.headers) }))
      for await (const message of socket) {
        if (message === 'throw') throw new Error('as it was told to')
        if (message === 'exit') process.exit(3)
        if (message === 'flood') for (let times = 0; times < 200; times++) await socket.send('x'.repeat(100_000))
        if (message === 'end') return
        await socket.send(message)
      }
    },
    { protocols: ['echo.v2', 'echo.v1'] },
  )
})

/** Sends one event at once, then one every `every` milliseconds if given. */
const ticks = route('GET /ticks', { stream: true, allow: listen }, ({ signal, query }) => {
  seen.begun++
  signal.addEventListener('abort', () => seen.aborted++)
  let timer: NodeJS.Timeout | undefined
  const body = new ReadableStream({
    start(controller) {
      const tick = () => controller.enqueue(new TextEncoder().encode('data: tick\n\n'))
      tick()
      if (query['every'] !== undefined) timer = setInterval(tick, Number(query['every']))
    },
    cancel: () => clearInterval(timer),
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
})

// oxlint-disable-next-line import/no-default-export -- a plugin is the default export of its entry
export default definePlugin({
  name: 'talking',
  api: 'talking.example.com/v1',
  roles: [listen, count],
  public: [
    echo,
    ticks,
    route('GET /seen', {}, () => seen),
    route('GET /rooms/-/count', { allow: count }, () => ({ rooms: 1 })),
    route('GET /rooms/-/parts/:part', { allow: count }, ({ params }) => params),
    route('POST /lines', { accepts: ['text/csv'] }, ({ request }) => new Response(request.body)),
    route('POST /small', { accepts: ['*/*'], maxBody: 1000 }, async ({ request }) => ({
      bytes: (await request.arrayBuffer()).byteLength,
    })),
  ],
})
