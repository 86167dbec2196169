import type { ConformanceFault } from '../planted-fault.ts'

const server = 'packages/server/src/plugins'
const claims = `${server}/assert-may-claim.ts`
const files = `${server}/plugins-from-files.ts`
const posts = 'plugins/content/src/plugin.ts'

type Row = readonly [promise: string, what: string, file: string, find: string, replace: string]

const rows: readonly Row[] = [
  [
    'S2.12-9',
    'contributors publish',
    posts,
    "displayName: 'Write and submit own posts', aggregateTo: ['contributor']",
    "displayName: 'Write and submit own posts', aggregateTo: ['contributor'], dependencies: ['content-publish']",
  ],
  [
    'S2.12-9',
    'authors publish what is not theirs',
    posts,
    "aggregateTo: ['post-administrator']",
    "aggregateTo: ['author']",
  ],
  ['C1-42', 'posts are elsewhere', posts, "plural: 'posts'", "plural: 'articles'"],
  ['C1-43', 'everybody may once somebody may', claims, 'shipped.has(digest)', 'shipped.size > 0'],
  ['C1-43', 'the host itself may not', claims, 'if (shipped.has(digest)) return', ''],
  [
    'C8-350',
    'what comes with the host runs at once',
    files,
    "approved: 'everything', enabled: false",
    "approved: 'everything', enabled: true",
  ],
  ['C8-350', 'what comes with the host has to be approved', files, "approved: 'everything'", 'approved: []'],
  [
    'C8-351',
    'a name is taken over with its groups',
    claims,
    'refuseReserved(installed?.groups ?? [],',
    'refuseReserved([],',
  ],
  [
    'C8-352',
    'what is there stays for good',
    files,
    'compareVersions(version, installed.version) <= 0',
    'installed.version',
  ],
  [
    'C8-352',
    'an older one takes over',
    files,
    'compareVersions(version, installed.version) <= 0',
    'version === installed.version',
  ],
  ['C8-353', 'what was uninstalled is gone for good', files, "installed.removal !== 'keep' && ", ''],
  [
    'C8-354',
    'what has the name is replaced',
    files,
    'if (installed && !installed.groups.some(',
    'if (installed && installed.groups.every(',
  ],
  ['C8-355', 'what is published changes', posts, "if (state !== 'draft')", "if (state === 'submitted')"],
  ['C8-355', 'what is submitted changes', posts, "if (state !== 'draft')", "if (state === 'published')"],
  ['C8-356', 'a status is a part of the post', posts, 'statusSubresource: true', 'statusSubresource: false'],
  [
    'C8-357',
    'what is submitted is read already',
    posts,
    "{ state: 'submitted', submittedAt: clock.iso() }",
    "{ state: 'published', publishedAt: clock.iso() }",
  ],
  [
    'C8-357',
    'who signs in reads what is published',
    posts,
    "aggregateTo: ['anonymous']",
    "aggregateTo: ['authenticated']",
  ],
  [
    'C8-357',
    'the oldest comes first',
    posts,
    "sort: 'status.publishedAt desc' })",
    "sort: 'status.publishedAt asc' })",
  ],
  [
    'C8-358',
    'another text is published than the one that was read',
    posts,
    'post.metadata.version !== body.version',
    'body.version < 0',
  ],
  [
    'C8-360',
    'what is submitted is found with the rights of the plugin',
    posts,
    'const post = await caller.client(mine).get(params.name)\n  if (post.status',
    'const post = await client(Post).get(params.name)\n  if (post.status',
  ],
]

/** What comes with the host, and the posts that do. */
export const shippedFaults: readonly ConformanceFault[] = rows.map(([promise, what, file, find, replace]) => ({
  promise,
  what,
  file,
  find,
  replace,
}))
