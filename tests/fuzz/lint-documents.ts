import { createConfig, lintFromString } from '@redocly/openapi-core'
import type { Documents } from './documents.ts'
import type { Findings } from './findings.ts'

/** Rules of the linter's own choice that are not asked for, each with the reason. */
const switchedOff = {
  // A login by OpenID Connect is answered by redirects alone.
  'operation-2xx-response': 'off',
  // A branch such as `if` or `then` may require a field that the schema around it describes.
  'no-required-schema-properties-undefined': 'off',
} as const

/** Every document, those of the host's own groups too, passes a public linter by its recommended rules. */
export async function lintDocuments({ texts }: Documents, findings: Findings): Promise<void> {
  const config = await createConfig({ extends: ['recommended'], rules: switchedOff })
  for (const [path, source] of texts) {
    const faults = await lintFromString({ source, absoluteRef: `${path}.json`, config })
    for (const { ruleId, message, location } of faults) {
      findings.add(`${ruleId}: ${message} ${location[0]?.pointer ?? ''}`, { what: `document ${path}` })
    }
  }
  console.log(`${texts.size} documents linted`)
}
