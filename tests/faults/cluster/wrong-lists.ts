import { selections } from '../watch/selections.ts'
import { listAt } from '../watch/take-list.ts'
import { truthOf } from '../watch/truth.ts'
import type { Installation } from './installation.ts'

/** Without writes in flight, checks that the lists of every replica equal the state from the change log. */
export async function wrongLists({ replicas, token, log }: Installation): Promise<readonly string[]> {
  const faults: string[] = []
  for (const selection of selections) {
    const truth = truthOf(log, selection)
    const expected = truth.stateAt({ number: truth.last, tag: '', skipped: [] })
    for (const { at, url } of replicas) {
      const list = await listAt({ url, token, selection, replica: at })
      const who = `replica ${at} lists ${selection.name}`
      if (!list) faults.push(`${who}: no answer`)
      const found = new Map((list?.items ?? []).map(({ metadata }) => [metadata.uid, metadata.version]))
      for (const [uid, { object, version }] of expected)
        if (found.get(uid) !== version)
          faults.push(`${who} with ${object.metadata.name} at ${found.get(uid)}, not ${version}`)
      for (const uid of found.keys())
        if (!expected.has(uid)) faults.push(`${who} with ${uid}, which the log does not have`)
    }
  }
  return faults
}
