import { join } from 'node:path'
import { runGeneratedClient } from '../end-to-end/run-generated-client.ts'
import type { Documents } from './documents.ts'
import type { Findings } from './findings.ts'
import { token } from './server-process.ts'

/** Checks that types generated from a document suffice for a strict client to create, read, change, list and delete. */
export async function generatedClient({ texts }: Documents, url: string, findings: Findings): Promise<void> {
  const faults = await runGeneratedClient({
    documents: { types: texts.get('/openapi/v3/apis/fuzz.example.com/v1alpha1') ?? '' },
    scenario: join(import.meta.dirname, 'client-scenario.txt'),
    args: [url, token],
  })
  if (faults !== undefined) findings.add(faults, { what: 'generated client' })
  else console.log('a client was generated, compiled and run')
}
