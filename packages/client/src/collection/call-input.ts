/** The types of a route. Exists only at compile time. */
export interface RouteTypes {
  readonly params: object
  readonly query: unknown
  readonly body: unknown
  readonly answer: unknown
}

/** Arguments of a route call; optional when the route requires none. */
export type CallInput<Types extends RouteTypes> =
  IsOptional<InputOf<Types>> extends true ? [input?: InputOf<Types>] : [input: InputOf<Types>]

type InputOf<Types extends RouteTypes> = Types['params'] & BodyOf<Types['body']> & QueryOf<Types['query']>

type BodyOf<Body> = [Body] extends [undefined] ? unknown : { readonly body: Body }

type QueryOf<Query> = IsOptional<Query> extends true ? { readonly query?: Query } : { readonly query: Query }

/** True when every field is optional. */
type IsOptional<Fields> = Partial<Fields> extends Fields ? true : false
