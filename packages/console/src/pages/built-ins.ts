/**
 * Puts back built-in functions that the code of a page has replaced, so that a mistake there does not reach the console. Uses no
 * built-in function that may be replaced by then: loops by index, and functions taken before.
 */
const getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor.bind(Object)
const defineProperty = Object.defineProperty.bind(Object)
const ownKeys = Reflect.ownKeys.bind(Reflect)
const deleteProperty = Reflect.deleteProperty.bind(Reflect)
const getPrototypeOf = Reflect.getPrototypeOf.bind(Reflect)
const has = Reflect.has.bind(Reflect)
const asText = String

interface BuiltIn {
  readonly of: object
  readonly name: string
  readonly key: PropertyKey
  readonly descriptor: PropertyDescriptor
}

/** Both the constructor and its prototype. */
const constructors = [
  'Object Function Array String Number Boolean Symbol BigInt Date RegExp Error Map Set WeakMap WeakSet WeakRef',
  'Promise Proxy URL URLSearchParams Headers Request Response AbortController AbortSignal WebSocket TextDecoder',
  'TextEncoder ReadableStream ReadableStreamDefaultReader Uint8Array EventTarget Event KeyboardEvent CustomEvent Node',
  'Element HTMLElement HTMLInputElement HTMLDialogElement SVGElement CharacterData Document History Storage Navigator',
  'Performance CustomElementRegistry DOMTokenList CSSStyleDeclaration CSSStyleSheet ResizeObserver MutationObserver',
  'IntersectionObserver',
].flatMap((line) => line.split(' '))
const namespaces = ['JSON', 'Math', 'Reflect', 'Intl']
const functions = [
  'fetch setTimeout clearTimeout setInterval clearInterval queueMicrotask structuredClone requestAnimationFrame',
  'cancelAnimationFrame matchMedia getComputedStyle addEventListener',
].flatMap((line) => line.split(' '))
/** Enumerable additions to these appear in every object. */
const prototypes = [Object.prototype, Array.prototype]
/** An own property of these hides that of the prototype. */
const instances = ['document', 'history', 'navigator', 'performance', 'customElements']

let kept: readonly BuiltIn[] | undefined

/** Remembers the functions before the first code of a plugin runs. */
export function keepBuiltIns(): void {
  kept ??= [
    ...[...constructors, ...namespaces, ...functions].flatMap((name) => propertyOf(globalThis, name, name)),
    ...constructors.flatMap((name) => {
      const made = valueOf(name) as { readonly prototype?: object }
      return [...propertiesOf(made, name), ...(made.prototype ? propertiesOf(made.prototype, `${name}.prototype`) : [])]
    }),
    ...namespaces.flatMap((name) => propertiesOf(valueOf(name), name)),
    ...iterators().flatMap((one) => propertiesOf(getPrototypeOf(one) ?? {}, 'Iterator.prototype')),
  ]
}

/** Returns the names of what it has put back or removed. */
export function putBackBuiltIns(): readonly string[] {
  const found: string[] = []
  const all = kept ?? []
  for (let at = 0; at < all.length; at++) {
    const one = all[at]
    if (!one) continue
    const { of, key, name, descriptor } = one
    const now = getOwnPropertyDescriptor(of, key)
    const isSame =
      now !== undefined && now.value === descriptor.value && now.get === descriptor.get && now.set === descriptor.set
    if (!isSame && isPutBack(of, key, descriptor)) found[found.length] = name
  }
  for (let at = 0; at < prototypes.length; at++) removeAdded(prototypes[at] ?? {}, found)
  for (let at = 0; at < instances.length; at++) removeHiding(instances[at] ?? '', found)
  return found
}

function isPutBack(of: object, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
  try {
    defineProperty(of, key, descriptor)
    return true
  } catch {
    // It was made unchangeable: only a reload helps.
    return false
  }
}

function removeAdded(prototype: object, found: string[]): void {
  const keys = ownKeys(prototype)
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] ?? ''
    if (getOwnPropertyDescriptor(prototype, key)?.enumerable && deleteProperty(prototype, key)) {
      found[found.length] = asText(key)
    }
  }
}

function removeHiding(name: string, found: string[]): void {
  const of = valueOf(name)
  const prototype = getPrototypeOf(of)
  const keys = ownKeys(of)
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] ?? ''
    if (prototype && has(prototype, key) && deleteProperty(of, key)) found[found.length] = `${name}.${asText(key)}`
  }
}

/** Those that `for` and spreading use. */
function iterators(): readonly object[] {
  return [[].values(), new Map().values(), new Set().values(), ''[Symbol.iterator](), ''.matchAll(/./g)]
}

function valueOf(name: string): object {
  return (globalThis as unknown as Readonly<Record<string, object>>)[name] ?? {}
}

function propertiesOf(of: object, name: string): readonly BuiltIn[] {
  return ownKeys(of).flatMap((key) => propertyOf(of, key, `${name}.${asText(key)}`))
}

/** What the browser does not let change needs no care, nor do values that are no functions. */
function propertyOf(of: object, key: PropertyKey, name: string): readonly BuiltIn[] {
  const descriptor = getOwnPropertyDescriptor(of, key)
  if (!descriptor?.configurable) return []
  const isFunction = descriptor.get !== undefined || typeof descriptor.value === 'function'
  const isNamespace = typeof descriptor.value === 'object' && of === globalThis
  return isFunction || isNamespace ? [{ of, key, name, descriptor }] : []
}
