import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import {
  compileScript,
  compileStyleAsync,
  compileTemplate,
  parse,
  type SFCBlock,
  type SFCDescriptor,
} from '@vue/compiler-sfc'
import { at, type Place } from './author-fault.ts'

export interface CompiledVue {
  readonly code: string
  readonly moduleType: 'ts' | 'tsx'
  readonly style: string
  /** With `isHot`: all that the state of a component depends on. */
  readonly script?: string
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
  const { descriptor, errors } = parse(withScript(text), { filename: path, sourceMap: false })
  const wrong = [...errors.map((error) => faultOf(error, source)), ...unsupported(descriptor, file)]
  if (wrong.length > 0) return { faults: wrong }
  const id = hashOf(file)
  const styles = await Promise.all(descriptor.styles.map((block) => styleOf(block, { id, file })))
  const faults = styles.flatMap((style) => style.faults)
  if (faults.length > 0) return { faults }
  try {
    // Finds faults with their positions in the file; two parts would lose them.
    const inOne = codeOf(descriptor, id)
    return {
      ...(source.isHot ? inTwo(descriptor, { id, file }) : { code: inOne }),
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

/** Registers the component, with a hash of its template. */
function inTwo(descriptor: SFCDescriptor, { id, file }: { readonly id: string; readonly file: string }) {
  const { content, bindings } = compileScript(descriptor, { id, isProd: true, genDefaultAs: componentName, fs })
  const { template, styles, slotted } = descriptor
  const scoped = styles.some((style) => style.scoped)
  const compilerOptions = {
    expressionPlugins: ['typescript' as const],
    ...(bindings && { bindingMetadata: bindings }),
    ...(scoped && { scopeId: `data-v-${id}` }),
  }
  const source = template?.content ?? ''
  const { code } = compileTemplate({ source, filename: file, id, scoped, slotted, isProd: true, compilerOptions })
  const mark = scoped ? `, __scopeId: 'data-v-${id}'` : ''
  const lines = [
    `import { hot as ${hotName} } from 'pergola:hot'`,
    content,
    code.replace(/^export function render\b/m, `function ${renderName}`),
    `Object.assign(${componentName}, { render: ${renderName}${mark} })`,
    `${hotName}.set('${id}', { component: ${componentName}, render: ${renderName}, template: '${hashOf(code)}' })`,
    `export default ${componentName}\n`,
  ]
  return { code: lines.join('\n'), script: content }
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
  return at({ file, ...(inFrame(error.message) ?? ofError(error, text)) }, words)
}

function inFrame(message: string): Omit<Place, 'file'> | undefined {
  const [, line, bar = '', marked = ''] = /^(\d+)( +\| ).*\n( +\| +)\^/m.exec(message) ?? []
  if (line === undefined) return undefined
  // The first two spaces after the bar belong to the frame.
  return { line: Number(line), column: marked.length - line.length - bar.length }
}

function ofError(error: Error, text: string): Omit<Place, 'file'> {
  const { loc } = error as { readonly loc?: { readonly start?: { readonly offset: number } } }
  const before = text.slice(0, loc?.start?.offset ?? 0).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
