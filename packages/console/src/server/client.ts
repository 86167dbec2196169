import { createClient, type Client } from '@pergola/client'
import type { LiveLink } from './live-state.ts'

/** The host that has sent this page; the browser's session says who asks. */
export const client = createClient({ url: location.origin })

/** The same, for one watch whose connection is shown. */
export function clientFor({ connected, lost }: LiveLink): Client {
  return createClient({ url: location.origin, onConnect: connected, onRetry: lost })
}

export const consoleApi = '/apis/console.api.platform.run/v1alpha1'
export const publicApi = '/apis/api.platform.run/v1alpha1'
export const ownApi = '/apis/uc.api.platform.run/v1alpha1'
