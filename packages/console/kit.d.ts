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

/** Reports changes while the component is mounted. `null`: changes may have been missed, so read the objects again. */
export declare function useWatch<Stored extends ApiObject>(
  followed: MaybeRefOrGetter<(WatchOptions & { readonly type: ResourceType<Stored> }) | undefined>,
  onChange: (event: ObjectEvent<Stored> | null) => void,
): void

/** Whether the signed-in user holds all of these UI permissions. In templates, use `<PermissionGate :permissions="[…]">`; it is global. */
export declare function holdsAll(permissions: readonly string[] | undefined): boolean

/** The console's language. */
export declare const language: Ref<'en' | 'zh'>

/** Confirms an action in a toast. */
export declare function tellDone(message: string): void
/** Shows an error in a toast. */
export declare function tellProblem(error: unknown): void

/** A title, a line below it, and buttons beside it in its slot. */
export declare const PageHeader: DefineComponent<{ title: string; lead?: string | undefined }>
/** Placeholder while content loads, when there is none, or after an error. */
export declare const StateCard: DefineComponent<{ error?: unknown; loading?: boolean; title?: string; detail?: string }>
export declare const StatusTag: DefineComponent<{ level: 'ok' | 'warn' | 'bad' | 'idle' }>
export declare const TimeAgo: DefineComponent<{ at: string | undefined }>
/** Asks for confirmation. If the action fails, stays open and shows the error. */
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
  /** Present if the server can sort by this column. */
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
