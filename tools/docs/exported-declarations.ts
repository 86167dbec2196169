import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

/** An exported name with its declaration. */
export interface ExportedDeclaration {
  readonly name: string
  readonly kind: 'function' | 'class' | 'interface' | 'type' | 'value'
  /** Its doc comment without markers; empty if there is none. */
  readonly comment: string
  /** Its source text without function bodies. */
  readonly code: string
  /** Whether it is a function with a body. */
  readonly isImplementation: boolean
  /** The file that declares it. */
  readonly file: string
  /** Names of the types in its declaration. */
  readonly mentions: readonly string[]
}

/** Entry files of packages that are re-exported. */
const entries: Readonly<Record<string, string>> = {
  '@pergola/api': 'packages/api/src/index.ts',
  '@pergola/client': 'packages/client/src/index.ts',
}

const printer = ts.createPrinter({ removeComments: false })

/** All named exports of a module, wherever declared. Reads the syntax only, without type checking. */
export function exportedDeclarations(entry: string): readonly ExportedDeclaration[] {
  const source = parse(entry)
  const found = new Map<string, ExportedDeclaration>()
  for (const statement of source.statements) {
    const declared = ts.isExportDeclaration(statement)
      ? reexported(statement, entry)
      : isExported(statement)
        ? declarationsIn(statement, source)
        : []
    for (const declaration of declared)
      found.set(declaration.name, withOverloads(found.get(declaration.name), declaration))
  }
  return [...found.values()].toSorted((one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1))
}

/**
 * Types that the declarations mention, directly or through each other, and that are not among `known`. Leaves out conditional
 * and mapped types, which only compute others.
 */
export function mentionedTypes(
  declarations: readonly ExportedDeclaration[],
  known: ReadonlySet<string>,
): readonly ExportedDeclaration[] {
  const found = new Map<string, ExportedDeclaration>()
  const follow = ({ mentions, file }: ExportedDeclaration) => {
    for (const name of mentions) {
      if (known.has(name) || found.has(name)) continue
      const type = typeIn(file, name)
      if (!type) continue
      found.set(name, type)
      follow(type)
    }
  }
  for (const declaration of declarations) follow(declaration)
  return [...found.values()]
}

/** Finds a type that a file declares or imports from this repository. */
function typeIn(file: string, name: string): ExportedDeclaration | undefined {
  const source = parse(file)
  for (const statement of source.statements) {
    const isType =
      ts.isInterfaceDeclaration(statement) || (ts.isTypeAliasDeclaration(statement) && !computes(statement))
    if (isType && statement.name.text === name) return declarationsIn(statement, source)[0]
    const from = ts.isImportDeclaration(statement) ? importedFrom(statement, name, file) : undefined
    if (from) return typeIn(from.file, from.name)
  }
  return undefined
}

function importedFrom({ importClause, moduleSpecifier }: ts.ImportDeclaration, name: string, file: string) {
  const from = (moduleSpecifier as ts.StringLiteral).text
  const bindings = importClause?.namedBindings
  if (!from.startsWith('.') || !bindings || !ts.isNamedImports(bindings)) return undefined
  const imported = bindings.elements.find((element) => element.name.text === name)
  return imported && { file: join(dirname(file), from), name: (imported.propertyName ?? imported.name).text }
}

function computes(node: ts.Node): boolean {
  if (ts.isConditionalTypeNode(node) || ts.isMappedTypeNode(node)) return true
  return ts.forEachChild(node, (child) => computes(child) || undefined) ?? false
}

function mentionsIn(node: ts.Node): readonly string[] {
  const names: string[] = []
  const visit = (one: ts.Node): void => {
    if (ts.isTypeReferenceNode(one) && ts.isIdentifier(one.typeName)) names.push(one.typeName.text)
    if (ts.isExpressionWithTypeArguments(one) && ts.isIdentifier(one.expression)) names.push(one.expression.text)
    if (!ts.isBlock(one)) ts.forEachChild(one, visit)
  }
  visit(node)
  return names
}

/** Drops the implementation signature of overloaded functions. */
function withOverloads(before: ExportedDeclaration | undefined, next: ExportedDeclaration): ExportedDeclaration {
  if (!before) return next
  if (next.isImplementation) return before
  return { ...before, code: `${before.code}\n${next.code}` }
}

function reexported(statement: ts.ExportDeclaration, entry: string): readonly ExportedDeclaration[] {
  const { moduleSpecifier, exportClause } = statement
  if (!exportClause || !ts.isNamedExports(exportClause)) throw new Error(`${entry} exports without names`)
  if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier)) throw new Error(`${entry} exports what it imports`)
  const from = moduleSpecifier.text
  const file = entries[from] ?? join(dirname(entry), from)
  const there = new Map(exportedDeclarations(file).map((declaration) => [declaration.name, declaration]))
  return exportClause.elements.map(({ name, propertyName }) => {
    const declaration = there.get((propertyName ?? name).text)
    if (!declaration) throw new Error(`${entry} exports ${name.text}, which ${file} does not declare`)
    return { ...declaration, name: name.text }
  })
}

function declarationsIn(statement: ts.Statement, source: ts.SourceFile): readonly ExportedDeclaration[] {
  const { fileName: file } = source
  const mentions = mentionsIn(statement)
  const comment = commentOf(statement, source)
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map((declaration) => ({
      name: declaration.name.getText(source),
      kind: 'value',
      comment,
      code: `const ${declaration.name.getText(source)}${declaration.type ? `: ${declaration.type.getText(source)}` : ''}`,
      isImplementation: false,
      file,
      mentions,
    }))
  }
  const kind = kindOf(statement)
  if (kind === undefined) return []
  const named = statement as ts.FunctionDeclaration | ts.ClassDeclaration | ts.InterfaceDeclaration
  const isImplementation = ts.isFunctionDeclaration(statement) && statement.body !== undefined
  return [
    { name: named.name?.text ?? '', kind, comment, code: codeOf(statement, source), isImplementation, file, mentions },
  ]
}

function kindOf(statement: ts.Statement): ExportedDeclaration['kind'] | undefined {
  if (ts.isFunctionDeclaration(statement)) return 'function'
  if (ts.isClassDeclaration(statement)) return 'class'
  if (ts.isInterfaceDeclaration(statement)) return 'interface'
  return ts.isTypeAliasDeclaration(statement) ? 'type' : undefined
}

/** Removes bodies and the keyword `export`. */
function codeOf(statement: ts.Statement, source: ts.SourceFile): string {
  if (ts.isFunctionDeclaration(statement)) return withoutExport(upTo(statement, statement.body, source))
  if (!ts.isClassDeclaration(statement)) return withoutExport(statement.getText(source))
  const members = statement.members.flatMap((member) => {
    const isOwn = ts.canHaveModifiers(member) && ts.getModifiers(member)?.some(isPrivate)
    if (isOwn || (member.name && ts.isPrivateIdentifier(member.name))) return []
    const body = ts.isMethodDeclaration(member) || ts.isConstructorDeclaration(member) ? member.body : undefined
    return [`  ${upTo(member, body, source)}`]
  })
  const [first = ''] = printer.printNode(ts.EmitHint.Unspecified, statement, source).split('{')
  return withoutExport([`${first.replace(/\/\*\*[\s\S]*?\*\//, '').trim()} {`, ...members, '}'].join('\n'))
}

function isPrivate({ kind }: ts.ModifierLike): boolean {
  return kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword
}

function upTo(node: ts.Node, body: ts.Node | undefined, source: ts.SourceFile): string {
  return source.text.slice(node.getStart(source), body?.getStart(source) ?? node.getEnd()).trim()
}

function withoutExport(code: string): string {
  return code.replace(/^export (declare )?/, '')
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false
}

function commentOf(statement: ts.Statement, source: ts.SourceFile): string {
  const before = ts.getLeadingCommentRanges(source.text, statement.getFullStart()) ?? []
  const texts = before.map(({ pos, end }) => source.text.slice(pos, end)).filter((text) => text.startsWith('/**'))
  const lines = (texts.at(-1) ?? '').replaceAll(/^\/\*\*|\*\/$/g, '').split('\n')
  return lines
    .map((line) => line.replace(/^\s*\*? ?/, '').trimEnd())
    .join('\n')
    .trim()
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2024)
}
