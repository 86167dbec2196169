/** Marker before the number in written objects, so that readers find the number without parsing frames. */
export const marker = 'written-as-'
export const markerDigits = 9
/** Of the bare relay. */
export const bareChannel = 'bare_changes'
