import type { Plan, Plugin } from '@pergola/api'
import { computed, ref, shallowRef, type Ref } from 'vue'
import { approvalsOf, decisionsLeft, sheetOf, type Sheet } from './install-sheet.ts'
import { installPackage, planPackage } from './send-package.ts'

export interface Installation {
  readonly file: Readonly<Ref<File | undefined>>
  readonly plan: Readonly<Ref<Plan | undefined>>
  readonly sheet: Readonly<Ref<Sheet | undefined>>
  /** Names of the ticked approvals. */
  readonly ticks: Ref<ReadonlySet<string>>
  /** Number of approvals that are not ticked yet. */
  readonly left: Readonly<Ref<number>>
  readonly isBlocked: Readonly<Ref<boolean>>
  readonly isBusy: Readonly<Ref<boolean>>
  readonly error: Readonly<Ref<unknown>>
  /** The user has decided; until the answer, `accepted` is undefined. */
  readonly isInstalling: Readonly<Ref<boolean>>
  /** The server's answer to the installation. */
  readonly accepted: Readonly<Ref<Plugin | undefined>>
  readonly choose: (chosen: File | undefined) => Promise<void>
  readonly install: () => Promise<void>
}

/** The state of one installation: file, plan, ticks and result. */
export function useInstallation(): Installation {
  const file = shallowRef<File>()
  const plan = shallowRef<Plan>()
  const ticks = shallowRef<ReadonlySet<string>>(new Set())
  const error = shallowRef<unknown>()
  const isBusy = ref(false)
  const isInstalling = ref(false)
  const accepted = shallowRef<Plugin>()

  const sheet = computed(() => plan.value && sheetOf(plan.value))
  const left = computed(() => (sheet.value ? decisionsLeft(sheet.value, ticks.value) : 0))
  const isBlocked = computed(() => (sheet.value?.blocked.length ?? 0) > 0)

  async function choose(chosen: File | undefined): Promise<void> {
    if (!chosen || accepted.value) return
    file.value = chosen
    plan.value = undefined
    ticks.value = new Set()
    await attempt(async () => {
      const answer = await planPackage(chosen)
      // The user may have chosen another package meanwhile.
      if (file.value === chosen) plan.value = answer
    })
  }

  async function install(): Promise<void> {
    const { value: chosen } = file
    const { value: shown } = sheet
    if (!chosen || !shown || left.value > 0 || isBlocked.value || isBusy.value) return
    isInstalling.value = true
    await attempt(async () => {
      accepted.value = await installPackage(chosen, approvalsOf(shown, ticks.value))
    })
    isInstalling.value = accepted.value !== undefined
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    const { value: about } = file
    isBusy.value = true
    error.value = undefined
    try {
      await work()
    } catch (reason) {
      if (file.value === about) error.value = reason
    } finally {
      if (file.value === about) isBusy.value = false
    }
  }

  return { file, plan, sheet, ticks, left, isBlocked, isBusy, error, isInstalling, accepted, choose, install }
}
