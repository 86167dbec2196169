/** What is known of a route; only ever a type. */
export interface RouteTypes {
  readonly params: object
  readonly query: unknown
  readonly body: unknown
  readonly answer: unknown
}

/** What a call of a route is given: nothing, where it takes nothing or all of it may be left out. */
export type CallInput<Types extends RouteTypes> =
  IsOptional<InputOf<Types>> extends true ? [input?: InputOf<Types>] : [input: InputOf<Types>]

type InputOf<Types extends RouteTypes> = Types['params'] & BodyOf<Types['body']> & QueryOf<Types['query']>

type BodyOf<Body> = [Body] extends [undefined] ? unknown : { readonly body: Body }

type QueryOf<Query> = IsOptional<Query> extends true ? { readonly query?: Query } : { readonly query: Query }

/** Whether nothing of it must be there. */
type IsOptional<Fields> = Partial<Fields> extends Fields ? true : false
