/** Headings of the kinds of changes. */
const headings = { major: 'Breaking', minor: 'New', patch: 'Fixed' } as const
type Bump = keyof typeof headings

/** The section of a release: each changeset under its most significant kind. */
export function changelogSection(version: string, changesets: readonly string[]): string {
  const entries = changesets.map(entryOf)
  const parts = (Object.keys(headings) as Bump[]).flatMap((bump) => {
    const texts = entries.filter((entry) => entry.bump === bump).map(({ text }) => `- ${text}`)
    return texts.length === 0 ? [] : [`### ${headings[bump]}`, '', ...texts, '']
  })
  return [`## ${version}`, '', ...parts].join('\n')
}

/** The newest release comes first. */
export function withSection(changelog: string, section: string): string {
  const at = changelog.indexOf('\n## ')
  if (at < 0) throw new Error('CHANGELOG.md has no release yet')
  return `${changelog.slice(0, at + 1)}${section}\n${changelog.slice(at + 1)}`
}

function entryOf(changeset: string): { readonly bump: Bump; readonly text: string } {
  const [, head = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(changeset) ?? []
  const bump = (Object.keys(headings) as Bump[]).find((one) => head.includes(`: ${one}`))
  if (bump === undefined) throw new Error(`a changeset names no major, minor or patch:\n${changeset}`)
  return { bump, text: body.trim().replaceAll('\n', '\n  ') }
}
