import { autocompletion, completionKeymap, type Completion, type CompletionContext } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, linter, type Diagnostic } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { parseDocument } from 'yaml'
import { completionsAt } from './completions.ts'
import type { Schema } from './schema.ts'

export interface EditorOptions {
  readonly text: string
  readonly label: string
  readonly isReadonly: boolean
  readonly schema: () => Schema | undefined
  readonly onChange: (text: string) => void
}

/**
 * The editor adds its styles by script. In a shadow root they become adopted style sheets, which the page's
 * content security policy does not block.
 */
export function openEditor(
  place: HTMLElement,
  { text, label, isReadonly, schema, onChange }: EditorOptions,
): { readonly set: (to: string) => void; readonly end: () => void } {
  const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' })
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        highlightActiveLine(),
        yaml(),
        syntaxHighlighting(colours),
        appearance,
        EditorView.lineWrapping,
        EditorState.readOnly.of(isReadonly),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        autocompletion({ override: [async (context) => suggest(context, schema())] }),
        lintGutter(),
        linter(faultsIn),
        // After Escape, Tab leaves the editor: keyboard users need a way out.
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString())
        }),
      ],
    }),
  })
  return {
    set: (to) => {
      const { doc } = view.state
      if (to !== doc.toString()) view.dispatch({ changes: { from: 0, to: doc.length, insert: to } })
    },
    end: () => view.destroy(),
  }
}

function faultsIn(view: EditorView): Diagnostic[] {
  return parseDocument(view.state.doc.toString()).errors.map(({ pos: [from, to], message }) => ({
    from: Math.min(from, view.state.doc.length),
    to: Math.min(to, view.state.doc.length),
    severity: 'error',
    message,
  }))
}

async function suggest(context: CompletionContext, schema: Schema | undefined) {
  const line = context.state.doc.lineAt(context.pos)
  const word = context.matchBefore(/[\w.-]*/)
  if (!schema || (!context.explicit && word?.from === word?.to)) return null
  const above: string[] = []
  for (let at = 1; at < line.number; at++) above.push(context.state.doc.line(at).text)
  const options: Completion[] = completionsAt(schema, above, line.text.slice(0, context.pos - line.from)).map(
    ({ text, detail }) => ({ label: text, detail }),
  )
  return { from: word?.from ?? context.pos, options }
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--brand-ink)' },
  { tag: tags.comment, color: 'var(--ink-2)' },
  { tag: tags.string, color: 'var(--ink)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--warn)' },
])

const appearance = EditorView.theme({
  '&': { fontSize: '13.5px', color: 'var(--ink)', maxHeight: '65vh' },
  '&.cm-focused': { outline: '2px solid var(--brand)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { padding: '0.6rem 0', caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { background: 'var(--sunken)', color: 'var(--ink-3)', border: '0' },
  '.cm-activeLine': { background: 'color-mix(in srgb, var(--brand) 7%, transparent)' },
  '.cm-tooltip': { background: 'var(--raised)', border: '1px solid var(--line)', borderRadius: '6px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--good-soft)', color: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--brand) 22%, transparent) !important',
  },
})
