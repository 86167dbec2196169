import { route, type AnyRoute } from '../route/route.ts'
import { apiVersions, controllers, type ControllerClass } from './controller-class.ts'
import { endpoints } from './endpoint.ts'

/**
 * Collects the routes of decorated classes, for an audience of `definePlugin`. Ignores a class without `@ApiVersion` and logs a
 * warning.
 */
export function routesOf(...classes: readonly ControllerClass[]): readonly AnyRoute[] {
  return classes.flatMap(routesOfClass)
}

function routesOfClass(controller: ControllerClass): readonly AnyRoute[] {
  const apiVersion = apiVersions.of(controller)
  if (apiVersion === undefined) {
    // oxlint-disable-next-line no-console -- in the log of a plugin, and before the eyes of who tests or packs it
    console.warn(
      `the controller class ${controller.name} has no API version and is ignored; write @ApiVersion('<group>/<version>') above it`,
    )
    return []
  }
  const { path = '', ...shared } = controllers.of(controller) ?? {}
  // Instantiated by the first request, so that inspecting the routes runs no plugin code.
  let instance: object | undefined
  return methodsOf(controller).flatMap((method) =>
    (endpoints.of(method) ?? []).map((endpoint) =>
      route(
        `${endpoint.method} /apis/${apiVersion}${path}${endpoint.path}`,
        { ...shared, ...endpoint.options },
        (context) => method.call((instance ??= new controller()), context),
      ),
    ),
  )
}

type ControllerMethod = (this: object, context: unknown) => unknown

/** In source order. Skips getters without calling them. */
function methodsOf({ prototype }: ControllerClass): readonly ControllerMethod[] {
  return Reflect.ownKeys(prototype as object).flatMap((name) => {
    const value: unknown = Reflect.getOwnPropertyDescriptor(prototype as object, name)?.value
    return typeof value === 'function' ? [value as ControllerMethod] : []
  })
}
