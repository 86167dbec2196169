/**
 * Scopes a plugin's styles to its pages: each rule is put into `@scope` by itself, so that an extra brace cannot
 * escape the scope. Returns a function that removes the styles.
 */
export function adoptStyle(plugin: string, text: string): () => void {
  if (text === '') return () => {}
  const theirs = new CSSStyleSheet()
  theirs.replaceSync(text)
  const scoped = new CSSStyleSheet()
  for (const { cssText } of theirs.cssRules) {
    try {
      scoped.insertRule(`@scope ([data-plugin="${plugin}"]) { ${cssText} }`, scoped.cssRules.length)
    } catch {
      // Skips rules that cannot be scoped, such as `@font-face`.
    }
  }
  document.adoptedStyleSheets.push(scoped)
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== scoped)
  }
}
