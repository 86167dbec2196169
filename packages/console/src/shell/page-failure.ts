import { shallowRef } from 'vue'
import type { Router } from 'vue-router'
import { away } from '../server/connection.ts'
import { readPermissions } from '../session/permissions.ts'

/** The code of a page could not be loaded: what tries again, shown in the place of the page. */
export const pageFailure = shallowRef<{ readonly retry: () => Promise<void> }>()

export function showPageFailures(router: Router): void {
  router.onError((_error, to) => {
    pageFailure.value = {
      // Browsers keep a module that failed: only a new page loads it. While the host is away that would be an empty one.
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
