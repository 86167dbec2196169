/**
 * The styles of a plugin, for its own pages alone: each of its rules is put into a scope, one by one, so that no brace too many
 * leads out of it. Answers what takes them away.
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
      // What no scope can hold, such as a font, is left out.
    }
  }
  document.adoptedStyleSheets.push(scoped)
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== scoped)
  }
}
