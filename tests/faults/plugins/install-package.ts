const packages = '/apis/console.api.platform.run/v1alpha1/plugins/-/packages'

export interface InstallTarget {
  readonly url: string
  readonly token: string
}

/** Installs a package with all requested approvals. */
export async function installPackage({ url, token }: InstallTarget, body: Buffer): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/gzip' }
  const send = (query: string) =>
    fetch(`${url}${packages}?${query}`, { method: 'POST', headers, body: new Uint8Array(body) })
  const { approvals = [] } = (await (await send('plan=true')).json()) as { readonly approvals?: readonly string[] }
  return send(String(new URLSearchParams(approvals.map((name): [string, string] => ['approve', name]))))
}
