export interface HeadFacts {
  /** Version of the host. */
  readonly version: string
  readonly seconds: number
  readonly url: string
  /** API version and plural of the first model, once known: `todo.example.com/v1alpha1` and `todos`. */
  readonly model?: { readonly apiVersion: string; readonly plural: string } | undefined
  /** Address of the debugger: `127.0.0.1:9229`. */
  readonly debug?: string | undefined
}

/** Lines printed at startup. Names only what exists. */
export function headLines({ version, seconds, url, model, debug }: HeadFacts): readonly string[] {
  const api = model ? `/apis/${model.apiVersion}/${model.plural}` : '/apis'
  const people = 'admin, ann (signed in), nobody (anonymous)'
  return [
    `  pergola dev ${version} · ready in ${seconds.toFixed(1)} s · SQLite .pergola/dev.db (kept between runs)`,
    `  console  ${url}/console   (to sign in: pergola --as admin user add me --generate)`,
    `  api      ${url}${api}`,
    `  docs     ${url}/openapi   (for who is signed in)`,
    `  people   ${people}          try  pergola --as ann list ${model?.plural ?? 'users'}`,
    ...(debug === undefined ? [] : [`  debug    ${debug} (VS Code: F5)`]),
  ]
}
