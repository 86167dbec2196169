import { exportedDeclarations, mentionedTypes, type ExportedDeclaration } from './exported-declarations.ts'

/** Public packages, in the order of the page. */
const modules = [
  { name: '@pergola/plugin-sdk', entry: 'packages/plugin-sdk/src/index.ts' },
  { name: '@pergola/plugin-sdk/testing', entry: 'packages/plugin-sdk/src/testing/index.ts' },
  { name: '@pergola/plugin-sdk/decorators', entry: 'packages/plugin-sdk/src/decorators/index.ts' },
  { name: '@pergola/client', entry: 'packages/client/src/index.ts' },
]

/** Functions, classes and values first, then types, including those that only occur in other declarations. */
export function exportReference(): string {
  const exported = modules.map((module) => ({ ...module, declarations: exportedDeclarations(module.entry) }))
  const known = new Set(exported.flatMap(({ declarations }) => declarations.map(({ name }) => name)))
  return exported
    .map(({ name, declarations }) => {
      const mentioned = mentionedTypes(declarations, known)
      for (const type of mentioned) known.add(type.name)
      const all = [...declarations, ...mentioned.map(asUnexported)].toSorted(byName)
      const parts = [all.filter((one) => !isType(one)), all.filter(isType)]
      return [`## \`${name}\``, ...parts.flat().map(described)].join('\n\n')
    })
    .join('\n\n')
}

/** Functions, classes and values need a doc comment; types may have comments on their members instead. */
export function undocumentedExports(): readonly string[] {
  return modules.flatMap(({ name, entry }) =>
    exportedDeclarations(entry)
      .filter((one) => one.comment === '' && !isType(one))
      .map((one) => `${name}: the ${one.kind} ${one.name} has no comment that says what it is for`),
  )
}

function asUnexported(type: ExportedDeclaration): ExportedDeclaration {
  return { ...type, comment: `${type.comment} Cannot be imported; occurs in other types.`.trim() }
}

function byName(one: ExportedDeclaration, other: ExportedDeclaration): number {
  return one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1
}

function isType({ kind }: ExportedDeclaration): boolean {
  return kind === 'interface' || kind === 'type'
}

function described({ name, comment, code }: ExportedDeclaration): string {
  const words = comment.replaceAll(/(`[^`]*`)|[<{]/g, (found, inCode: string | undefined) => inCode ?? `\\${found}`)
  return [`### \`${name}\``, ...(words === '' ? [] : [words]), `\`\`\`ts\n${code}\n\`\`\``].join('\n\n')
}
