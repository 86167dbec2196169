import { gzipSync } from 'node:zlib'
import vue from '@vitejs/plugin-vue'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

type OutputBundle = Rolldown.OutputBundle

/** What pages of plugins share with the console: one copy of each, by the names of an import map. */
const shared: Readonly<Record<string, string>> = {
  vue: 'src/pages/shared/vue.ts',
  'vue-router': 'src/pages/shared/vue-router.ts',
  '@pergola/console': 'src/parts/index.ts',
}

// oxlint-disable-next-line import/no-default-export -- as Vite wants it
export default defineConfig({
  base: '/console/',
  plugins: [vue(), importMap()],
  resolve: { conditions: ['@pergola/source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: '../server/console',
    emptyOutDir: true,
    // One file: pages of plugins import the kit by itself, and nothing would load the styles of its parts.
    cssCodeSplit: false,
    // Nothing is inlined: the content-security policy takes no data but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    rolldownOptions: {
      input: { console: 'index.html', ...shared },
      preserveEntrySignatures: 'exports-only',
      // Few requests: what most pages share is a file each, and only what few people open is loaded apart.
      output: {
        codeSplitting: {
          groups: [
            { name: 'vue', test: /node_modules\/(@?vue|@tanstack|@lucide)/ },
            {
              name: 'kit',
              test: /packages\/(api|client)\/|console\/src\/(kit|server|session|models\/(allowed|listed)-models|models\/(format|kind-words))/,
            },
            { name: 'objects', test: /console\/src\/(models|controls)\/(?!code-editor|.*yaml)/ },
          ],
        },
      },
    },
  },
})

/** Scripts and styles that a browser fetches before the first page can be used: the entry, all that it imports, and the overview. */
const mostFirstBytes = 250 * 1024
const firstPages = ['index.html', 'src/home/home-page.vue']

function firstLoadBytes(bundle: OutputBundle): number {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
  const needed = new Set<string>(
    chunks
      .filter((one) => firstPages.some((page) => one.facadeModuleId?.endsWith(page)))
      .map(({ fileName }) => fileName),
  )
  // A set also visits what is added on the way.
  for (const fileName of needed) {
    const output = bundle[fileName]
    if (output?.type !== 'chunk') continue
    for (const other of output.imports) needed.add(other)
  }
  const styles = Object.keys(bundle).filter((fileName) => fileName.endsWith('.css'))
  return [...needed, ...styles].reduce((sum, fileName) => {
    const output = bundle[fileName]
    if (!output) return sum
    return sum + gzipSync(output.type === 'chunk' ? output.code : output.source, { level: 9 }).length
  }, 0)
}

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
        const styles = Object.values(bundle).filter((output) => output.fileName.endsWith('.css'))
        // A package with `sideEffects: false` loses every stylesheet that is only imported.
        if (!styles.some((output) => output.type === 'asset' && String(output.source).includes('.btn.primary{'))) {
          this.error('the styles of the controls are missing')
        }
        const bytes = firstLoadBytes(bundle)
        if (bytes > mostFirstBytes) {
          this.error(
            `the first load takes ${bytes} bytes compressed, more than ${mostFirstBytes}; load some of it later`,
          )
        }
        process.stdout.write(
          `console: first load ${Math.round(bytes / 1024)} of at most ${mostFirstBytes / 1024} KB compressed\n`,
        )
        for (const output of Object.values(bundle)) {
          if (!/\.(js|css|svg|html)$/.test(output.fileName)) continue
          const text = output.type === 'chunk' ? output.code : output.source
          await writeFile(`${dir ?? ''}/${output.fileName}.gz`, gzipSync(text, { level: 9 }))
        }
      },
    },
  }
}
