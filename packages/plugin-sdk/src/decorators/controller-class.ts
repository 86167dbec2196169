import type { RoleTemplate } from '../role-template.ts'
import { createMark } from './mark.ts'

/** Made once, when the first request comes. */
export type ControllerClass = new () => object

/** Standard decorators are given a context, those of `experimentalDecorators` are not. */
export type ControllerDecorator = (controller: ControllerClass, context?: { readonly kind: 'class' }) => void

export interface ControllerClassOptions {
  /** For every method that names no other. */
  readonly allow?: RoleTemplate
}

interface Declared extends ControllerClassOptions {
  readonly path: string
}

export const apiVersions = createMark<string>('apiVersion')
export const controllers = createMark<Declared>('controller')

/** `<group>/<version>` that the class is served below, the group being that of its audience: `console.api.todo.example.com/v1`. */
export function ApiVersion(apiVersion: `${string}/${string}`): ControllerDecorator {
  return (controller) => apiVersions.put(controller, apiVersion)
}

/** The path that those of the methods follow. Parameters stand in theirs. */
export function Controller(path: `/${string}`, options: ControllerClassOptions = {}): ControllerDecorator {
  return (controller) => controllers.put(controller, { ...options, path })
}
