import type {
  ApiObject,
  Client,
  ListOptions,
  ModelTypes,
  ObjectEvent,
  ResourceType,
  Served,
  WatchOptions,
} from '@pergola/client'
import type { Component, DefineComponent, MaybeRefOrGetter, Ref, ShallowRef } from 'vue'

/**
 * What the console shares with the pages of plugins, beside `vue` and `vue-router`. Types alone: the console itself brings the
 * code, one copy for all pages.
 */

/** The component of a page, or what loads it. */
export type PluginPage = Component | (() => Promise<{ readonly default: Component }>)

/** The pages of a plugin, by their paths as in `pages` of `definePlugin`. */
export type PluginPages = Readonly<Record<string, PluginPage>>

/** What a plugin's `src/ui/index.ts` exports by default. */
export declare function definePages(pages: PluginPages): PluginPages

/** The API of the host, as whoever looks at the page. */
export declare const client: Client

export interface LiveList<Stored extends ApiObject> {
  readonly items: Readonly<ShallowRef<readonly Stored[]>>
  readonly isReady: Readonly<Ref<boolean>>
  readonly error: Readonly<ShallowRef<unknown>>
}

/**
 * The selected objects, kept current for as long as the page is open. All of them are held in memory; read a large model page by
 * page, with `client`.
 */
export declare function useLiveList<Types extends ModelTypes>(
  of: Served<Types>,
  options?: ListOptions<Types['fields']>,
): LiveList<Types['object']>
/** The same for a model whose fields are not known: all of its objects. */
export declare function useLiveList<Stored extends ApiObject>(type: ResourceType<Stored>): LiveList<Stored>

/** Tells of changes for as long as the page is open; `null` says that some may have been missed. */
export declare function useWatch<Stored extends ApiObject>(
  followed: MaybeRefOrGetter<(WatchOptions & { readonly type: ResourceType<Stored> }) | undefined>,
  onChange: (event: ObjectEvent<Stored> | null) => void,
): void

/** Whether whoever looks holds all of these UI permissions. In templates, `<PermissionGate :permissions="[…]">` needs no import. */
export declare function holdsAll(permissions: readonly string[] | undefined): boolean

/** Of the console, as it was chosen. */
export declare const language: Ref<'en' | 'zh'>

/** Says in a line, for a moment, what was done. */
export declare function tellDone(message: string): void
/** And what failed. */
export declare function tellProblem(error: unknown): void

/** A title, a line below it, and buttons beside it in its slot. */
export declare const PageHeader: DefineComponent<{ title: string; lead?: string | undefined }>
/** In place of what is not there: because it comes, because there is none, or because something failed. */
export declare const StateCard: DefineComponent<{ error?: unknown; loading?: boolean; title?: string; detail?: string }>
export declare const StatusTag: DefineComponent<{ level: 'ok' | 'warn' | 'bad' | 'idle' }>
export declare const TimeAgo: DefineComponent<{ at: string | undefined }>
/** Asks before something is done; stays open, with the reason, when it cannot be. */
export declare const ConfirmDialog: DefineComponent<{
  modelValue: boolean
  title: string
  action: string
  danger?: boolean
  act: () => Promise<void>
}>

export interface Column {
  readonly key: string
  readonly title: string
  /** Given when the table can be in its order. */
  readonly sort?: string | undefined
  readonly align?: 'start' | 'end'
}

/** A table that scrolls within itself; each cell is the slot of its column's key. */
export declare const DataTable: DefineComponent<{
  label: string
  columns: readonly Column[]
  items: readonly unknown[]
  keyOf: (item: never) => string
  sort?: readonly string[]
}>
