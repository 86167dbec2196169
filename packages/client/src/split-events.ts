/** Far above the largest object that a server accepts. */
const maxEventLength = 64 * 1024 * 1024

/** Splits text chunks into the data of Server-Sent Events. Keeps an incomplete event until the next chunk. */
export function splitEvents(): (piece: string) => readonly string[] {
  let unread = ''
  let data: string[] = []
  const take = (line: string): string | undefined => {
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
    if (line !== '' || data.length === 0) return undefined
    const event = data.join('\n')
    data = []
    return event
  }
  return (piece) => {
    const events: string[] = []
    // Only the new piece can contain an unseen line break.
    let from = unread.length
    unread += piece
    let start = 0
    for (let end = unread.indexOf('\n', from); end >= 0; end = unread.indexOf('\n', from)) {
      const event = take(unread.slice(start, unread[end - 1] === '\r' ? end - 1 : end))
      if (event !== undefined) events.push(event)
      start = from = end + 1
    }
    unread = unread.slice(start)
    if (unread.length > maxEventLength) throw new Error(`an event is longer than ${maxEventLength} characters`)
    return events
  }
}
