import { createConfig, lintFromString } from '@redocly/openapi-core'
import type { Documents } from './documents.ts'
import type { Findings } from './findings.ts'

/** Disabled recommended rules, each with the reason. */
const switchedOff = {
  // An OpenID Connect login only answers with redirects.
  'operation-2xx-response': 'off',
  // A branch such as `if` or `then` may require a field that the schema around it describes.
  'no-required-schema-properties-undefined': 'off',
} as const

/** Checks every document, including those of the host's groups, with the recommended rules of a public linter. */
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
