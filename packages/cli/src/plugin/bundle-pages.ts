import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { rolldown, type Plugin } from 'rolldown'
import { at, AuthorFault } from './author-fault.ts'

/** Path of the bundled console pages in the package. */
export const firstPage = 'ui/index.js'

/** Modules that the console provides through its import map. */
const shared: readonly string[] = ['vue', 'vue-router', '@pergola/console']

/** Bundles the console pages of a plugin, if any, into one module that includes its styles. */
export async function bundlePages(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const entry = ['src/ui/index.ts', 'src/ui/index.js'].find((file) => existsSync(join(folder, file)))
  if (entry === undefined) return new Map()
  return new Map([[firstPage, Buffer.from(await bundled(folder, entry))]])
}

async function bundled(folder: string, entry: string): Promise<string> {
  try {
    await using build = await rolldown({
      input: wholeModule,
      cwd: folder,
      platform: 'browser',
      external: [...shared],
      plugins: [wholePlugin(folder, entry)],
      experimental: { attachDebugInfo: 'none' },
      // Unresolved imports would only fail in the browser.
      onLog: (_, log) => {
        if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
      },
    })
    const { output } = await build.generate({ format: 'esm', codeSplitting: false, minify: true })
    return output[0].code
  } catch (error) {
    throw new AuthorFault([at({ file: entry }, wordsOf(error as Error))])
  }
}

/** Keeps the message and drops the code frame of the bundler. */
function wordsOf({ message }: Error): string {
  const plain = stripVTControlCharacters(message)
  return /\[[A-Z_]+\] (.*)/.exec(plain)?.[1] ?? plain
}

const wholeModule = 'pergola:pages'

/** Exports the author's pages, and the styles as a string, which the console scopes to these pages. */
function wholePlugin(folder: string, entry: string): Plugin {
  const style = join(folder, 'src/ui/style.css')
  const text = existsSync(style) ? readFileSync(style, 'utf8') : ''
  const filter = { id: new RegExp(`^\\0?${wholeModule}$`) }
  return {
    name: 'pergola-pages',
    resolveId: { filter, handler: () => `\0${wholeModule}` },
    load: {
      filter,
      handler: () =>
        `export { default } from ${JSON.stringify(join(folder, entry))}\nexport const style = ${JSON.stringify(text)}\n`,
    },
  }
}
