import type { DisplayIcon } from '@pergola/api'
import type {
  ApiObject,
  Client,
  ListOptions,
  ModelTypes,
  ObjectEvent,
  ResourceType,
  RouteCall,
  Served,
  SortKey,
  Where,
  WatchOptions,
} from '@pergola/client'
import type { Component, ComputedRef, MaybeRefOrGetter, Ref, ShallowRef, VNode } from 'vue'

/**
 * What plugin pages import from the console, besides `vue` and `vue-router`. Types only: the console provides the code at run
 * time, one copy for all pages.
 */

/** The component of a page, or a function that loads it. */
export type PluginPage = Component | (() => Promise<{ readonly default: Component }>)

/** The pages of a plugin, by their paths as in `pages` of `definePlugin`. */
export type PluginPages = Readonly<Record<string, PluginPage>>

/** What a plugin's `src/ui/index.ts` exports by default. */
export declare function definePages(pages: PluginPages): PluginPages

/** Client of the host's API, with the rights of the signed-in user. */
export declare const client: Client

/** Calls a route of the plugin with the rights of the signed-in user: `call(share, { name: 'milk' })`. */
export declare const call: RouteCall

export interface LiveList<Stored extends ApiObject> {
  readonly items: Readonly<ShallowRef<readonly Stored[]>>
  readonly isReady: Readonly<Ref<boolean>>
  readonly error: Readonly<ShallowRef<unknown>>
}

/**
 * The selected objects, kept current while the page is open. Holds all of them in memory; read a large model page by page, with
 * `client`.
 */
export declare function useLiveList<Types extends ModelTypes>(
  of: Served<Types>,
  options?: ListOptions<Types['fields']>,
): LiveList<Types['object']>
/** The same for a model with unknown fields: all of its objects. */
export declare function useLiveList<Stored extends ApiObject>(type: ResourceType<Stored>): LiveList<Stored>

export interface LiveObject<Stored extends ApiObject> {
  readonly object: Readonly<Ref<Stored | undefined>>
  /** It has been deleted since. */
  readonly isGone: Readonly<Ref<boolean>>
  readonly error: Readonly<Ref<unknown>>
}

/** One object, kept current while the page is open. */
export declare function useLiveObject<Types extends ModelTypes>(
  of: Served<Types>,
  name: MaybeRefOrGetter<string>,
): LiveObject<Types['object']>

/** Reports changes while the component is mounted. `null`: changes may have been missed, so read the objects again. */
export declare function useWatch<Stored extends ApiObject>(
  followed: MaybeRefOrGetter<(WatchOptions & { readonly type: ResourceType<Stored> }) | undefined>,
  onChange: (event: ObjectEvent<Stored> | null) => void,
): void

/**
 * Whether the signed-in user holds this role template of the plugin, directly or through another. Decides what is shown; the
 * API authorizes every request.
 */
export declare function holds(role: { readonly template: string; readonly uiPermissions?: readonly string[] }): boolean

/** Whether the signed-in user holds all of these UI permissions. In templates, use `<PermissionGate :permissions="[…]">`; it is global. */
export declare function holdsAll(permissions: readonly string[] | undefined): boolean

declare module 'vue' {
  /** Registered in the console, for all pages. */
  interface GlobalComponents {
    PermissionGate: Part<{ permissions: readonly string[] }, { default?: Slot }>
  }
}

/** The console's language. */
export declare const language: Ref<'en' | 'zh'>

/** Confirms an action in a toast. */
export declare function tellDone(message: string): void
/** Shows an error in a toast. */
export declare function tellProblem(error: unknown): void

/**
 * The texts of a plugin in the console's language: `words({ en: { title: 'Todos' }, zh: { title: '待办' } })`. In a template,
 * `text.title`.
 */
export declare function words<Texts extends object>(texts: {
  readonly en: Texts
  readonly zh?: NoInfer<Texts>
}): ComputedRef<Texts>

/** A component with its properties and slots. */
export type Part<Props, Slots = object> = new () => { $props: Props; $slots: Slots }

type Slot<Given = object> = (given: Given) => unknown

/** `v-model` of a part. */
export interface Modelled<Value> {
  modelValue: Value
  'onUpdate:modelValue'?: (value: Value) => unknown
}

export type Hue = 'grey' | 'green' | 'blue' | 'teal' | 'violet' | 'pink' | 'amber' | 'red'

/** The title of a page, its actions in the slot. In a narrow window, the bar at the top has both. */
export declare const PageHeader: Part<
  { title: string; lead?: string | undefined; count?: string | undefined },
  { default?: Slot }
>
/** Placeholder while content loads, when there is none, or after an error. */
export declare const StateCard: Part<{ error?: unknown; loading?: boolean; title?: string; detail?: string }>
/** Placeholder of an empty page: a drawing, a sentence and one action in the slot. */
export declare const EmptyState: Part<
  { art?: 'vine' | 'search' | 'broken' | 'lock'; title: string; detail?: string | undefined },
  { default?: Slot }
>
/** An error or a hint between other content. */
export declare const InlineNotice: Part<
  { error?: unknown; tone?: 'bad' | 'warn' | 'good' | 'plain'; title?: string },
  { default?: Slot; action?: Slot }
>
export declare const StatusTag: Part<{ level: 'ok' | 'warn' | 'bad' | 'idle' }, { default?: Slot }>
export declare const EnumPill: Part<{ text: string; hue: Hue }>
export declare const TimeAgo: Part<{ at: string | undefined }>
/** A user: avatar and display name. */
export declare const PersonName: Part<{ name: string; title?: string | undefined }>

/** Icons of actions, besides those that models and plugins may name. */
export type ActionIcon =
  | 'check'
  | 'copy'
  | 'download'
  | 'pencil'
  | 'play'
  | 'plus'
  | 'refresh'
  | 'trash'
  | 'undo'
  | 'upload'
  | 'x'

/** A button; with `to` or `href`, a link that looks like one. `busy`: its action is running. */
export declare const Button: Part<
  {
    /** In the bar at the top of a narrow window, only the icon is shown. */
    icon?: DisplayIcon | ActionIcon | undefined
    kind?: 'plain' | 'primary' | 'danger' | 'quiet'
    small?: boolean
    busy?: boolean
    disabled?: boolean
    /** A path of the console, such as `/p/todo/archive`. */
    to?: string | undefined
    /** An address outside of the console. */
    href?: string | undefined
    onClick?: (event: MouseEvent) => unknown
  },
  { default?: Slot }
>

/** Label, help and error around one control. The control connects itself with them. */
export declare const FormField: Part<
  { label: string; hint?: string | undefined; error?: string | undefined; optional?: boolean },
  { default?: Slot }
>
export declare const TextInput: Part<
  Modelled<string | undefined> & {
    type?: 'text' | 'email' | 'url' | 'search' | 'password'
    multiline?: boolean
    placeholder?: string | undefined
    disabled?: boolean
  }
>
/** Text that is not a number stays in the value, so that the server rejects it. */
export declare const NumberInput: Part<
  Modelled<unknown> & { unit?: string | undefined; step?: number | undefined; placeholder?: string | undefined }
>
export declare const Switch: Part<Modelled<boolean> & { disabled?: boolean }>

export interface SelectOption {
  readonly value: string
  readonly title: string
  readonly hue?: Hue | undefined
}
/** One of a few values: segments if they are short, else a list. */
export declare const SelectInput: Part<
  Modelled<string | undefined> & { options: readonly (string | SelectOption)[]; optional?: boolean }
>

export interface Suggestion {
  readonly name: string
  readonly title: string
}
/** A text with suggestions while it is typed, from `options` or `find`; other texts are accepted. */
export declare const ComboBox: Part<
  Modelled<string | undefined> & {
    label: string
    options?: readonly (string | Suggestion)[] | undefined
    find?: ((typed: string) => Promise<readonly Suggestion[]>) | undefined
    placeholder?: string | undefined
  }
>
/** A date as `2030-03-01`; with `time`, a time as `2030-03-01T09:00:00.000Z`. */
export declare const DateInput: Part<Modelled<string | undefined> & { time?: boolean }>
/** Short texts: Enter or a comma adds one. */
export declare const TagInput: Part<Modelled<readonly string[]> & { placeholder?: string | undefined }>
/** The name of an object of a model, with suggestions by name and title; other texts are accepted. */
export declare const ReferenceInput: Part<
  Modelled<string | undefined> & { of: ResourceType; placeholder?: string | undefined }
>
/** A user name, with suggestions if the signed-in user may read users. */
export declare const PersonInput: Part<Modelled<string | undefined> & { placeholder?: string | undefined }>

/** A modal dialog; its buttons are in the slot `footer`. */
export declare const Dialog: Part<
  Modelled<boolean> & { title: string; lead?: string | undefined; width?: string },
  { default?: Slot; footer?: Slot }
>
/** A modal panel at the right edge. */
export declare const Drawer: typeof Dialog
/** Asks for confirmation. If the action fails, stays open and shows the error. */
export declare const ConfirmDialog: Part<
  Modelled<boolean> & {
    title: string
    action: string
    lead?: string | undefined
    danger?: boolean
    act: () => Promise<void>
  },
  { default?: Slot }
>

/** Tabs; `v-model` has the key of the chosen one. */
export declare const Tabs: Part<
  Modelled<string> & { label: string; tabs: readonly { readonly key: string; readonly title: string }[] }
>

export interface MenuEntry {
  readonly title: string
  readonly danger?: boolean
  readonly disabled?: boolean
  readonly act: () => unknown
}
/** A button with a menu: with `text` a labelled one, else three dots. */
export declare const Menu: Part<{ label: string; text?: string | undefined; entries: readonly MenuEntry[] }>

export interface Column {
  readonly key: string
  readonly title: string
  /** Present if the table can be sorted by this column. */
  readonly sort?: string | undefined
  readonly align?: 'start' | 'end'
  /** In pixels; without it, as wide as there is room. The first column takes the remaining width. */
  readonly width?: number | undefined
}

export interface DataTableProps<Item> {
  label: string
  columns: readonly Column[]
  items: readonly Item[]
  keyOf: (item: Item) => string
  /** `name,asc`, most significant first. */
  sort?: readonly string[]
  /** Keys of the selected rows; if omitted, rows cannot be selected. */
  selected?: ReadonlySet<string> | undefined
  /** A click on a row emits `open`. */
  canOpen?: boolean
  onSort?: (by: readonly string[]) => unknown
  onOpen?: (item: Item) => unknown
  onSelect?: (keys: readonly string[], isOn: boolean) => unknown
}

interface GenericSetup<Props, Slots> {
  props: Props
  slots: Slots
  attrs: unknown
  emit: unknown
}

/** A table that scrolls within itself; each cell is the slot of its column's key. Rows are cards on a phone. */
// oxlint-disable-next-line max-params -- the form that vue-tsc reads generic components by
export declare const DataTable: <Item>(
  props: DataTableProps<Item>,
  context?: unknown,
  expose?: unknown,
  setup?: Promise<GenericSetup<DataTableProps<Item>, Readonly<Record<string, Slot<{ item: Item }>>>>>,
) => VNode & { __ctx?: GenericSetup<DataTableProps<Item>, Readonly<Record<string, Slot<{ item: Item }>>>> }

/** An action on each selected object. */
export interface ModelAction<Stored> {
  readonly title: string
  readonly danger?: boolean
  /** A question before the action. */
  readonly confirm?: string | undefined
  readonly act: (object: Stored) => Promise<unknown>
}

type PathsIn<Root extends string, Fields> = unknown extends Fields
  ? `${Root}.${string}`
  : Fields extends object
    ? `${Root}.${keyof Fields & string}${'' | `.${string}`}`
    : never

/** A field of a model, its `name` or when it was `created`. */
export type ColumnPath<Types extends ModelTypes> =
  | PathsIn<'spec', Types['object'] extends { readonly spec?: infer Spec } ? Spec : unknown>
  | PathsIn<'status', Types['object'] extends { readonly status?: infer Status } ? Status : unknown>
  | (keyof Types['fields'] & string)
  | 'name'
  | 'created'

export interface ModelTableProps<Types extends ModelTypes> {
  of: Served<Types>
  /** Paths of fields, or columns of one's own, each with a slot; by default those of the model. */
  columns?: readonly (ColumnPath<Types> | Column)[] | undefined
  /** Conditions that all rows fulfil. */
  where?: Where<Types['fields']> | undefined
  /** The first order: `spec.start` or `spec.start desc`. */
  sort?: SortKey<Types['fields']> | undefined
  /** Actions on the selected objects, in addition to the usual ones. */
  actions?: readonly ModelAction<Types['object']>[] | undefined
  /** Without the usual actions: set a field, export, delete. */
  onlyActions?: boolean
  /** Without the filter. */
  plain?: boolean
  /** Text of the empty table. */
  empty?: string | undefined
  /** A click on a row emits `open`. */
  canOpen?: boolean
  onOpen?: (object: Types['object']) => unknown
}

type ModelTableSetup<Types extends ModelTypes> = GenericSetup<
  ModelTableProps<Types>,
  Readonly<Record<string, Slot<{ item: Types['object'] }>>>
>

/**
 * A live table of a model, page by page, with filter, order, selection and actions. A slot named like a column replaces its
 * cells; `empty` has the action of the empty table.
 */
// oxlint-disable-next-line max-params -- the form that vue-tsc reads generic components by
export declare const ModelTable: <Types extends ModelTypes>(
  props: ModelTableProps<Types>,
  context?: unknown,
  expose?: unknown,
  setup?: Promise<ModelTableSetup<Types>>,
) => VNode & { __ctx?: ModelTableSetup<Types> }

export interface ObjectFormProps<Types extends ModelTypes> {
  of: Served<Types>
  /** The object to change; without it, the form creates one. */
  name?: string | undefined
  /** Names of the fields of `spec` to show; by default all. */
  fields?: readonly (keyof Types['create'] & string)[] | undefined
  /** Values of `spec` for a new object. */
  initial?: { readonly [Field in keyof Types['create']]?: Types['create'][Field] } | undefined
  /** Title of the button. */
  action?: string | undefined
  onSaved?: (object: Types['object']) => unknown
  onCancel?: () => unknown
}

/**
 * A form from the schema of a model. Shows errors of the server at their fields, merges changes of others, and is read-only
 * without the right.
 */
// oxlint-disable-next-line max-params -- the form that vue-tsc reads generic components by
export declare const ObjectForm: <Types extends ModelTypes>(
  props: ObjectFormProps<Types>,
  context?: unknown,
  expose?: unknown,
  setup?: Promise<GenericSetup<ObjectFormProps<Types>, object>>,
) => VNode & { __ctx?: GenericSetup<ObjectFormProps<Types>, object> }

/** Titles and values of an object, as in the console's preview. */
export declare const ObjectFacts: Part<{
  of: ResourceType
  object: ApiObject
  fields?: readonly string[] | undefined
}>
