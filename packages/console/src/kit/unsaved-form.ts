import { inject, onScopeDispose, provide, type InjectionKey } from 'vue'

type IsUnsaved = () => boolean

const unsavedForms: InjectionKey<Set<IsUnsaved>> = Symbol('unsaved forms')

/** In a dialog: whether a form in it has entries that closing would lose. */
export function useUnsavedForms(): IsUnsaved {
  const forms = new Set<IsUnsaved>()
  provide(unsavedForms, forms)
  return () => [...forms].some((isUnsaved) => isUnsaved())
}

/** In a form: lets the dialog around it ask before it closes. */
export function useUnsavedForm(isUnsaved: IsUnsaved): void {
  const forms = inject(unsavedForms, undefined)
  forms?.add(isUnsaved)
  onScopeDispose(() => forms?.delete(isUnsaved))
}
