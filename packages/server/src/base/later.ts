/** A part that is put together after parts that use it. Asked for too early, it says so. */
export interface Later<Part> {
  (): Part
  /** Once, and answers what it was given. */
  is(part: Part): Part
}

export function later<Part extends object>(name: string): Later<Part> {
  let made: Part | undefined
  const ask = () => {
    if (made === undefined) throw new Error(`${name} is asked for before it is put together`)
    return made
  }
  const is = (part: Part) => {
    if (made !== undefined) throw new Error(`${name} is put together twice`)
    made = part
    return part
  }
  return Object.assign(ask, { is })
}
