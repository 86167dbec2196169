/** Stands in what is written, before its number: whoever reads many frames finds it without parsing them. */
export const marker = 'written-as-'
export const markerDigits = 9
