/** Path parameters of a route: `{ name: string }` for `GET /todos/:name/share`. */
export type ParametersOf<Line extends string> = { readonly [Name in ParameterNames<Line>]: string }

type ParameterNames<Line extends string> = Line extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParameterNames<`/${Rest}`>
  : Line extends `${string}/:${infer Name}`
    ? Name
    : never
