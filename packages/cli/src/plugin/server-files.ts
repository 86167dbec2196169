import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/** Imports of values; an `import type` brings no code. */
const imports = /^\s*(?:import|export)\s+(?!type\b)(?:[^'"]*?\bfrom\s*)?['"]([^'"]+)['"]/gm
const readable = /\.([cm]?[jt]sx?|vue)$/

/**
 * The files outside of `src/ui` that pages import and that import the SDK: their code runs on the server, and pages get values
 * of them. Relative to the folder, sorted.
 */
export function serverFilesOf(folder: string): readonly string[] {
  const ui = join(folder, 'src/ui')
  if (!existsSync(ui)) return []
  const found = new Set<string>()
  const pages = readdirSync(ui, { recursive: true, encoding: 'utf8' }).map((file) => join(ui, file))
  // A set also visits what is added on the way.
  const seen = new Set(pages.filter((file) => readable.test(file)))
  for (const file of seen) {
    for (const target of targetsOf(file)) {
      if (target.startsWith(`${ui}${sep}`) || !target.startsWith(`${folder}${sep}`)) continue
      if (importsSdk(target)) found.add(relative(folder, target).replaceAll(sep, '/'))
      else seen.add(target)
    }
  }
  return [...found].toSorted()
}

function targetsOf(file: string): readonly string[] {
  return specifiersOf(file)
    .filter((name) => name.startsWith('.'))
    .flatMap((name) => resolved(join(dirname(file), name)) ?? [])
}

function importsSdk(file: string): boolean {
  return specifiersOf(file).some((name) => /^@pergola\/plugin-sdk(\/|$)/.test(name))
}

function specifiersOf(file: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(imports)].map(([, name = '']) => name)
}

function resolved(path: string): string | undefined {
  const forms = [path, path.replace(/\.js$/, '.ts'), `${path}.ts`, `${path}.js`, `${path}/index.ts`]
  return forms.find((form) => readable.test(form) && existsSync(form) && statSync(form).isFile())
}
