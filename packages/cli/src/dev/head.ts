export interface HeadFacts {
  /** Version of the host. */
  readonly version: string
  readonly seconds: number
  readonly url: string
  /** Opens the console, signed in. */
  readonly signInLink: string
  /** Whom the link signs in. */
  readonly as?: string | undefined
  /** API version and plural of the first model, once known: `todo.example.com/v1alpha1` and `todos`. */
  readonly model?: { readonly apiVersion: string; readonly plural: string } | undefined
  /** Address of the debugger: `127.0.0.1:9229`. */
  readonly debug?: string | undefined
}

/** Lines printed at startup. Names only what exists. */
export function headLines({
  version,
  seconds,
  url,
  signInLink,
  as = 'admin',
  model,
  debug,
}: HeadFacts): readonly string[] {
  const api = model ? `/apis/${model.apiVersion}/${model.plural}` : '/apis'
  return [
    `  pergola dev ${version} · ready in ${seconds.toFixed(1)} s · SQLite .pergola/dev.db (kept between runs)`,
    `  console  ${signInLink}   (opens signed in as ${as}, once)`,
    `  api      ${url}${api}   (documented at /openapi)`,
    `  try      npx pergola --as admin list ${model?.plural ?? 'users'}   (--as ann: signed in, --as nobody: anonymous)`,
    ...(debug === undefined ? [] : [`  debug    ${debug} (VS Code: F5)`]),
  ]
}
