import { shallowRef } from 'vue'
import type { Router } from 'vue-router'
import { away } from '../server/connection.ts'
import { readPermissions } from '../session/permissions.ts'

/** The code of a page failed to load; `retry` loads it again. */
export const pageFailure = shallowRef<{ readonly retry: () => Promise<void> }>()

export function showPageFailures(router: Router): void {
  router.onError((_error, to) => {
    pageFailure.value = {
      // Browsers cache a failed module import, so only loading the document helps. That needs a reachable host.
      retry: async () => {
        await readPermissions()
        if (!away.value) location.assign(router.resolve(to.fullPath).href)
      },
    }
  })
  router.afterEach((_to, _from, failure) => {
    if (!failure) pageFailure.value = undefined
  })
}
