import { watch } from 'vue'
import { useRoute } from 'vue-router'
import { pageTop } from '../kit/page-top.ts'
import { uidOfUser } from '../session/drafts.ts'
import { changeOwn, readOwn } from '../session/own-keep.ts'
import { pagesIn, withPage, type RecentPage } from './recent-list.ts'

const place = 'recent'

/** The pages that the signed-in user visited last in this browser, the latest first. */
export async function recentPages(): Promise<readonly RecentPage[]> {
  return pagesIn(await readOwn(place))
}

/** Notes each visited page once its title is known, and again when the title changes. */
export function useRecentPages(): void {
  const route = useRoute()
  watch(
    // Not by path: at a new path the old page remains until the new one is loaded.
    () => [pageTop(), pageTop()?.title()] as const,
    async ([, title]) => {
      const { path, name } = route
      const isNoted = title !== undefined && title !== '' && !unnoted.has(name)
      if (isNoted) await changeOwn(place, (kept) => withPage(pagesIn(kept), { path, title }))
      // The home page asks for the uid, so that the next page does not wait for it.
      else await uidOfUser()
    },
    { immediate: true },
  )
}

const unnoted: ReadonlySet<unknown> = new Set(['home', 'new-object', 'install-plugin', 'nothing-here'])
