import { fullName } from '../server/resource-names.ts'
import type { KnownResource } from '../server/known-resource.ts'
import { findResource } from '../server/resources.ts'

/** Splits `todos.spec.due` or `todos.todo.example.com.spec.due` into the resource and the path of the field. */
export function splitField(
  known: readonly KnownResource[],
  text: string,
): { readonly resource: KnownResource; readonly path: readonly string[] } {
  const dotted = text.replaceAll('[]', '')
  const [full] = known
    .flatMap((one) => [fullName(one), fullName({ ...one, plural: one.singular })].map((name) => ({ name, one })))
    .filter(({ name }) => dotted === name || dotted.startsWith(`${name}.`))
    .toSorted((one, other) => other.name.length - one.name.length)
  if (full) return { resource: full.one, path: stepsOf(dotted.slice(full.name.length + 1)) }
  const [bare = '', ...path] = dotted.split('.')
  return { resource: findResource(known, bare), path }
}

function stepsOf(path: string): readonly string[] {
  return path === '' ? [] : path.split('.')
}
