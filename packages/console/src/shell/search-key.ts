const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** The shortcut as printed on this platform's keyboard. */
export const searchKey = isMac ? '⌘K' : 'Ctrl K'

export function isSearchKey({ key, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent): boolean {
  const isHeld = isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey
  return isHeld && !altKey && !shiftKey && key.toLowerCase() === 'k'
}
