import { at, placeIn } from './author-fault.ts'
import { kitExports, kitPackage, meantWords } from './kit-exports.ts'

/** Components that are registered in the console, for all pages. */
const registered = ['PermissionGate', 'RouterLink', 'RouterView']

export interface Rendered {
  /** Absolute path of the component. */
  readonly path: string
  /** Name for the author. */
  readonly file: string
  readonly text: string
  /** The compiled code of its template. */
  readonly code: string
}

/** Components that a template uses and its script does not import: a browser would show nothing but their slots. */
export function unknownComponents({ path, file, text, code }: Rendered): readonly string[] {
  // Others can be registered at run time.
  if (/\bcomponents\s*:/.test(text)) return []
  const unresolved = [...code.matchAll(/\b_resolveComponent\("([^"]+)"\)/g)].map(([, name = '']) => name)
  const unknown = unresolved.filter((name) => !registered.includes(pascalCase(name)))
  if (unknown.length === 0) return []
  const kit = kitExports(path) ?? []
  return unknown.flatMap((name) => {
    const component = pascalCase(name)
    if (kit.includes(component)) return [fault(name, `import { ${component} } from '${kitPackage}'`)]
    // A custom element of the browser has such a name.
    if (name.includes('-')) return []
    return [fault(name, `import it${meantWords(component, [...kit, ...registered])}`)]
  })

  function fault(name: string, advice: string): string {
    const place = placeIn(file, text, Math.max(0, text.search(new RegExp(`<${name}[\\s/>]`))))
    return at(place, `<${name}> is neither an element nor an imported component; ${advice}`)
  }
}

function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
