/** A part that is created after parts that use it. Throws when it is used too early. */
export interface Later<Part> {
  (): Part
  /** Sets the part, once, and returns it. */
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
