import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { rolldown, type Plugin } from 'rolldown'
import { at, AuthorFault } from './author-fault.ts'

/** Of the pages for the console, in the package. */
export const firstPage = 'ui/index.js'

/** What the console has already, one copy for all: see its import map. */
const shared: readonly string[] = ['vue', 'vue-router', '@pergola/console']

/** The pages of a plugin for the console, if it has any: one module, which brings its styles with it. */
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
      // What cannot be found would only be missed in somebody's browser.
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

/** The bundler draws a picture of the place; what it says of it is enough. */
function wordsOf({ message }: Error): string {
  const plain = stripVTControlCharacters(message)
  return /\[[A-Z_]+\] (.*)/.exec(plain)?.[1] ?? plain
}

const wholeModule = 'pergola:pages'

/** What the author exports, and the styles beside it as a text: the console keeps them to these pages. */
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
