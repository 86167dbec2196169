import { expect, test } from 'vitest'
import { exportReference } from './exports.ts'

test('the reference describes types that are not exported but occur in exported ones, once', () => {
  const reference = exportReference()
  for (const name of ['PluginParts', 'IndexOption', 'CompositePart', 'NoBody']) {
    expect(reference.split(`\n### \`${name}\`\n`), name).toHaveLength(2)
  }
})
