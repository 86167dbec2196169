import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { headingSlug } from '../../tools/docs/heading-slug.ts'
import { docsFolder, sidebar, widePages } from './pages.ts'
import { repositoryLinks } from './repository-links.ts'

export default defineConfig({
  lang: 'en',
  title: 'Pergola',
  description: 'A host for plugins: custom models, generated APIs, controllers and role-based access.',
  // Reports for reviewers; the reference says the same for readers.
  srcExclude: ['surface/**'],
  cacheDir: join(docsFolder, '../node_modules/.cache/vitepress'),
  ignoreDeadLinks: false,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/mark.svg' }]],
  transformPageData: ({ relativePath, frontmatter }) =>
    widePages.has(relativePath) ? { frontmatter: { ...frontmatter, aside: false } } : {},
  markdown: {
    anchor: { slugify: headingSlug },
    theme: { light: 'github-light', dark: 'github-dark' },
    config: repositoryLinks,
  },
  themeConfig: {
    logo: { src: '/mark.svg', alt: '' },
    search: { provider: 'local', options: { detailedView: false } },
    nav: [
      { text: 'Tutorial', link: '/tutorial/' },
      { text: 'How-to', link: '/how-to/own-objects', activeMatch: '/how-to/' },
      { text: 'Concepts', link: '/concepts/request', activeMatch: '/concepts/' },
      { text: 'Reference', link: '/reference/cli', activeMatch: '/reference/' },
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    docFooter: { prev: 'Before', next: 'Next' },
    externalLinkIcon: false,
  },
})
