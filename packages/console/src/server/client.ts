import { createClient } from '@pergola/client'

/** The host that has sent this page; the browser's session says who asks. */
export const client = createClient({ url: location.origin })

export const consoleApi = '/apis/console.api.platform.run/v1alpha1'
export const publicApi = '/apis/api.platform.run/v1alpha1'
export const ownApi = '/apis/uc.api.platform.run/v1alpha1'
