import { gzipSync } from 'node:zlib'
import vue from '@vitejs/plugin-vue'
import { defineConfig, type Plugin } from 'vite'

/** What pages of plugins share with the console: one copy of each, by the names of an import map. */
const shared: Readonly<Record<string, string>> = {
  vue: 'src/pages/shared/vue.ts',
  'vue-router': 'src/pages/shared/vue-router.ts',
  '@pergola/console': 'src/kit/index.ts',
}

// oxlint-disable-next-line import/no-default-export -- as Vite wants it
export default defineConfig({
  base: '/console/',
  plugins: [vue(), importMap()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: '../server/console',
    emptyOutDir: true,
    // Nothing is inlined: the content-security policy takes no data but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    rolldownOptions: {
      input: { console: 'index.html', ...shared },
      preserveEntrySignatures: 'exports-only',
    },
  },
})

/** Tells the browser where the shared modules are, and leaves everything compressed as well, so that no server has to do it. */
function importMap(): Plugin {
  return {
    name: 'pergola-import-map',
    enforce: 'post',
    generateBundle(_, bundle) {
      const imports: Record<string, string> = {}
      for (const output of Object.values(bundle)) {
        if (output.type === 'chunk' && output.isEntry && output.name in shared) {
          imports[output.name] = `/console/${output.fileName}`
        }
      }
      const page = bundle['index.html']
      if (page?.type !== 'asset') return
      const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`
      page.source = String(page.source).replace('<meta name="color-scheme"', `${map}\n    <meta name="color-scheme"`)
    },
    writeBundle: {
      order: 'post',
      async handler({ dir }, bundle) {
        const { writeFile } = await import('node:fs/promises')
        for (const output of Object.values(bundle)) {
          if (!/\.(js|css|svg|html)$/.test(output.fileName)) continue
          const text = output.type === 'chunk' ? output.code : output.source
          await writeFile(`${dir ?? ''}/${output.fileName}.gz`, gzipSync(text, { level: 9 }))
        }
      },
    },
  }
}
