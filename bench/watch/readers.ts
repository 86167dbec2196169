import { connect, type Socket } from 'node:net'
import { marker, markerDigits } from './marker.ts'

/**
 * Many watch clients in a separate process, as cheap as possible: counts bytes and searches them for the
 * number of the object, without parsing.
 *
 * Controlled by the messages `open` and `report`; replies to each.
 */
interface OpenCommand {
  readonly do: 'open'
  readonly port: number
  readonly count: number
  readonly headers: Readonly<Record<string, string>>
  /** `{n}` stands for the number of the reader within `cycle`. */
  readonly path: string
  readonly cycle: number
}

type ReaderCommand = OpenCommand | { readonly do: 'report' }

export interface ReaderReport {
  readonly open: number
  readonly frames: number
  readonly bytes: number
  /** Arrival times by object number, in milliseconds since 1970. */
  readonly arrivals: readonly (readonly [number: number, at: number])[]
}

const sockets: Socket[] = []
let frames = 0
let bytes = 0
let open = 0
let arrivals: [number: number, at: number][] = []
const mark = Buffer.from(marker)
/** Bytes of a marker and its number. */
const marked = mark.length + markerDigits
/** Answers pings, because the server drops clients that do not. */
const ping = Buffer.from([0x89, 0])
const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])
const at = () => performance.timeOrigin + performance.now()

process.on('message', (command: ReaderCommand) => {
  if (command.do === 'open') void openAll(command).then(() => process.send?.({ open }))
  else {
    process.send?.({ open, frames, bytes, arrivals } satisfies ReaderReport)
    frames = 0
    bytes = 0
    arrivals = []
  }
})
process.on('disconnect', () => process.exit())

async function openAll({ port, count, headers, path, cycle }: OpenCommand): Promise<void> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  for (let from = 0; from < count; from += 100) {
    const batch = Array.from({ length: Math.min(100, count - from) }, (_, n) => {
      const target = path.replace('{n}', String((from + n) % cycle))
      return openOne(port, `GET ${target} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.join('')}\r\n`)
    })
    await Promise.all(batch)
  }
}

function openOne(port: number, head: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', reject)
    socket.once('data', (answer) => {
      if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) {
        return reject(new Error(answer.toString('latin1').slice(0, 300)))
      }
      open++
      sockets.push(socket)
      let end: Buffer = Buffer.alloc(0)
      socket.on('data', (chunk) => {
        if (chunk.includes(ping)) socket.write(pong)
        bytes += chunk.length
        // A number may be in two chunks.
        take(Buffer.concat([end, chunk.subarray(0, marked - 1)]))
        take(chunk)
        end = chunk.length < marked ? Buffer.concat([end, chunk]).subarray(1 - marked) : chunk.subarray(1 - marked)
      })
      socket.on('close', () => open--)
      resolve()
    })
    socket.write(head)
  })
}

/** Counts the numbers that are whole in these bytes. */
function take(chunk: Buffer): void {
  const now = at()
  const last = chunk.length - marked
  for (let found = chunk.indexOf(mark); found >= 0 && found <= last; found = chunk.indexOf(mark, found + 1)) {
    frames++
    const digits = found + mark.length
    arrivals.push([Number(chunk.toString('latin1', digits, digits + markerDigits)), now])
  }
}
