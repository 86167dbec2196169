import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import {
  compileScript,
  compileStyleAsync,
  compileTemplate,
  parse,
  type SFCBlock,
  type SFCDescriptor,
  type SFCTemplateCompileOptions,
} from '@vue/compiler-sfc'
import { at, placeIn, type Place } from './author-fault.ts'
import { unknownComponents } from './unknown-components.ts'

export interface CompiledVue extends CompiledPart {
  readonly moduleType: 'ts' | 'tsx'
  readonly style: string
  /** With `isHot`: all that the state of a component depends on. */
  readonly script?: string
  /** With `isHot`: its template, a module of its own: `open.vue?template`. */
  readonly template?: CompiledPart
}

/** A module, and where its code is in the component. */
interface CompiledPart {
  readonly code: string
  readonly map?: string
}

export interface VueSource {
  /** Absolute path, for types that the component imports. */
  readonly path: string
  /** Name for the author: relative to the plugin's folder, the same on every machine. */
  readonly file: string
  readonly text: string
  /** Keeps script and template apart, so that the console can replace the template alone. */
  readonly isHot?: boolean
}

/** Names that no import of the author can have by accident. */
const [componentName, renderName, hotName] = ['pergola$component', 'pergola$render', 'pergola$hot']
const fs = { fileExists: existsSync, readFile: (path: string) => readFileSync(path, 'utf8') }

/** Compiles a single-file component. Returns its faults, each with its position in the file, if it cannot. */
export async function compileVue(source: VueSource): Promise<CompiledVue | { readonly faults: readonly string[] }> {
  const { path, file, text } = source
  const { descriptor, errors } = parse(withScript(text), { filename: path, sourceMap: source.isHot ?? false })
  const wrong = [...errors.map((error) => faultOf(error, source)), ...unsupported(descriptor, file)]
  if (wrong.length > 0) return { faults: wrong }
  const id = hashOf(file)
  const styles = await Promise.all(descriptor.styles.map((block) => styleOf(block, { id, file })))
  const faults = styles.flatMap((style) => style.faults)
  if (faults.length > 0) return { faults }
  try {
    // Finds faults with their positions in the file; two parts would lose them.
    const inOne = codeOf(descriptor, id)
    const unknown = unknownComponents({ path, file, text, code: inOne })
    if (unknown.length > 0) return { faults: unknown }
    return {
      ...(source.isHot ? inTwo(descriptor, { id, path }) : { code: inOne }),
      moduleType: descriptor.scriptSetup?.lang === 'tsx' ? 'tsx' : 'ts',
      style: styles.map(({ code }) => code).join('\n'),
    }
  } catch (error) {
    return { faults: [faultOf(error as Error, source)] }
  }
}

/** A component of a template alone gets a script, at the end, so that no position changes. */
function withScript(text: string): string {
  return /<script\b/.test(text) ? text : `${text}\n<script setup>;</script>`
}

function codeOf(descriptor: SFCDescriptor, id: string): string {
  const { content } = compileScript(descriptor, {
    id,
    isProd: true,
    inlineTemplate: true,
    genDefaultAs: componentName,
    fs,
  })
  const isScoped = descriptor.styles.some(({ scoped }) => scoped)
  const mark = isScoped ? `Object.assign(${componentName}, { __scopeId: 'data-v-${id}' })\n` : ''
  return `${content}\n${mark}export default ${componentName}\n`
}

/** Registers the component, with a hash of its template, which is a module of its own. */
function inTwo(descriptor: SFCDescriptor, { id, path }: { readonly id: string; readonly path: string }) {
  const { content, bindings, map } = compileScript(descriptor, { id, isProd: true, genDefaultAs: componentName, fs })
  const scoped = descriptor.styles.some((style) => style.scoped)
  const compilerOptions = {
    expressionPlugins: ['typescript' as const],
    ...(bindings && { bindingMetadata: bindings }),
    ...(scoped && { scopeId: `data-v-${id}` }),
  }
  const template = templateOf(descriptor, { path, id, scoped, compilerOptions })
  const mark = scoped ? `, __scopeId: 'data-v-${id}'` : ''
  // Imports after the script, whose lines stay where its map says.
  const lines = [
    content,
    `import { hot as ${hotName} } from 'pergola:hot'`,
    `import { render as ${renderName} } from ${JSON.stringify(`${path}?template`)}`,
    `Object.assign(${componentName}, { render: ${renderName}${mark} })`,
    `${hotName}.set('${id}', { component: ${componentName}, render: ${renderName}, template: '${hashOf(template.code)}' })`,
    `export default ${componentName}\n`,
  ]
  return { code: lines.join('\n'), script: content, template, ...(map && { map: JSON.stringify(map) }) }
}

type TemplateOptions = Pick<SFCTemplateCompileOptions, 'id' | 'scoped' | 'compilerOptions'> & { readonly path: string }

function templateOf(descriptor: SFCDescriptor, { path, ...options }: TemplateOptions): CompiledPart {
  const { template, slotted } = descriptor
  const { code, map } = compileTemplate({
    ...options,
    source: template?.content ?? '',
    filename: path,
    slotted,
    isProd: true,
    ...(template?.map && { inMap: template.map }),
  })
  return { code, ...(map && { map: JSON.stringify(map) }) }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

function unsupported({ script, scriptSetup, template, styles }: SFCDescriptor, file: string): readonly string[] {
  const fault = (block: SFCBlock, message: string) => at({ file, line: block.loc.start.line }, message)
  return [
    ...(script && !scriptSetup ? [fault(script, 'write <script setup>; other scripts are not compiled')] : []),
    ...(template?.lang ? [fault(template, `the template is in ${template.lang}; write HTML`)] : []),
    ...styles.flatMap((style) => [
      ...(style.lang !== undefined && style.lang !== 'css'
        ? [fault(style, `the style is in ${style.lang}; write CSS`)]
        : []),
      ...(style.module ? [fault(style, 'style modules are not compiled; write <style scoped>')] : []),
    ]),
    ...[script, scriptSetup, template, ...styles].flatMap((block) =>
      block?.src ? [fault(block, `src="${block.src}" is not read; write it into this file`)] : [],
    ),
  ]
}

async function styleOf(
  { content, scoped = false, loc }: SFCDescriptor['styles'][number],
  { id, file }: { readonly id: string; readonly file: string },
): Promise<{ readonly code: string; readonly faults: readonly string[] }> {
  const { code, errors } = await compileStyleAsync({ filename: file, source: content, id, scoped, isProd: true })
  const faults = errors.map((error) => {
    const {
      line,
      column,
      reason = error.message,
    } = error as Error & { line?: number; column?: number; reason?: string }
    return at({ file, line: line && line + loc.start.line - 1, column }, reason)
  })
  return { code, faults }
}

/** The compiler ends a message with the lines of the file around the fault, unless the error has a position. */
function faultOf(error: Error, { file, text }: VueSource): string {
  const [message = ''] = error.message.split('\n')
  const words = message.replace(/^\[[@\w/-]+\] /, '').replace(/ \(\d+:\d+\)$/, '')
  const { loc } = error as { readonly loc?: { readonly start?: { readonly offset: number } } }
  return at({ ...(inFrame(error.message) ?? placeIn(file, text, loc?.start?.offset ?? 0)), file }, words)
}

function inFrame(message: string): Omit<Place, 'file'> | undefined {
  const [, line, bar = '', marked = ''] = /^(\d+)( +\| ).*\n( +\| +)\^/m.exec(message) ?? []
  if (line === undefined) return undefined
  // The first two spaces after the bar belong to the frame.
  return { line: Number(line), column: marked.length - line.length - bar.length }
}
