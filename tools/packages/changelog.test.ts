import { expect, test } from 'vitest'
import { changelogSection, withSection } from './changelog.ts'

test('a release has the text of each changeset under its greatest change, above earlier releases', () => {
  const changesets = [
    `---\n'@pergola/server': patch\n'@pergola/cli': minor\n---\n\nLists say why.\nTwice.\n`,
    `---\n'@pergola/api': patch\n---\n\nA space is kept.\n`,
  ]
  const section = changelogSection('0.10.0', changesets)
  expect(withSection('# Changes\n\n## 0.9.0\n\nThe first.\n', section)).toBe(
    '# Changes\n\n## 0.10.0\n\n### New\n\n- Lists say why.\n  Twice.\n\n### Fixed\n\n- A space is kept.\n\n## 0.9.0\n\nThe first.\n',
  )
  expect(() => changelogSection('1.0.0', ['no changeset'])).toThrow('names no major, minor or patch')
})
