import type { RoleTemplate } from '../role-template.ts'
import { createMark } from './mark.ts'

/** A class whose decorated methods answer requests. Instantiated once, on the first request. */
export type ControllerClass = new () => object

/** A class decorator. Standard decorators receive a context, those of `experimentalDecorators` do not. */
export type ControllerDecorator = (controller: ControllerClass, context?: { readonly kind: 'class' }) => void

export interface ControllerClassOptions {
  /** Role template for every method that does not set its own. */
  readonly allow?: RoleTemplate
}

interface Declared extends ControllerClassOptions {
  readonly path: string
}

export const apiVersions = createMark<string>('apiVersion')
export const controllers = createMark<Declared>('controller')

/** Sets the `<group>/<version>` of a class. The group is that of its audience: `console.api.todo.example.com/v1`. */
export function ApiVersion(apiVersion: `${string}/${string}`): ControllerDecorator {
  return (controller) => apiVersions.put(controller, apiVersion)
}

/** Sets the path prefix of all methods of the class. The prefix has no parameters. */
export function Controller(path: `/${string}`, options: ControllerClassOptions = {}): ControllerDecorator {
  return (controller) => controllers.put(controller, { ...options, path })
}
