import { onScopeDispose } from 'vue'

const longMs = 500
/** A resting finger moves a little. */
const slackPx = 10

export interface LongPress<Item> {
  readonly begin: (item: Item, event: PointerEvent) => void
  readonly move: (event: PointerEvent) => void
  readonly end: () => void
  /** Whether a finger rests on an item, or has just done so. */
  readonly isHeld: () => boolean
  /** Whether this click only ends a long press. */
  readonly takesClick: () => boolean
}

/** Acts on the item on which a finger rests. */
export function useLongPress<Item>(act: (item: Item) => void): LongPress<Item> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let from = { clientX: 0, clientY: 0 }
  let hasActed = false
  const end = () => {
    clearTimeout(timer)
    timer = undefined
  }
  onScopeDispose(end)
  return {
    begin: (item, event) => {
      end()
      hasActed = false
      if (event.pointerType !== 'touch') return
      from = event
      timer = setTimeout(() => {
        timer = undefined
        hasActed = true
        act(item)
      }, longMs)
    },
    move: ({ clientX, clientY }) => {
      if (Math.hypot(clientX - from.clientX, clientY - from.clientY) > slackPx) end()
    },
    end,
    isHeld: () => timer !== undefined || hasActed,
    takesClick: () => {
      const takes = hasActed
      hasActed = false
      return takes
    },
  }
}
