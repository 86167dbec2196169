import { keyFault, type ControllerDeclaration, type ScheduleDeclaration } from '@pergola/api'
import { durationMs } from '../duration.ts'
import type { AnyPlugin } from '../plugin.ts'
import { cronFault } from './cron-fault.ts'
import { about, type Report } from './faults.ts'
import { optionFaults } from './option-faults.ts'
import { missingModelFault, type RuleFrame } from './rules.ts'

const nameForm = /^[A-Za-z][A-Za-z0-9-]{0,62}$/

export function declareControllers(frame: RuleFrame, report: Report): readonly ControllerDeclaration[] {
  const controllers = Object.entries(frame.plugin.controllers ?? {})
  return controllers.map(([name, controller], at) => {
    const { model, concurrency, finalizer } = controller
    const where = `controllers.${name}`
    optionFaults('controller', controller, (fault) => report(where, fault))
    if (finalizer !== undefined) {
      report(where, about(finalizer, keyFault(finalizer)))
      const [group = ''] = finalizer.split('/')
      if (!frame.groups.includes(group)) {
        const better = `${frame.groups[0]}${finalizer.slice(group.length)}`
        report(where, `has the finalizer "${finalizer}" in a group of others; name it "${better}"`)
      }
      const earlier = controllers.slice(0, at).find(([, one]) => one.model === model && one.finalizer === finalizer)
      if (earlier) report(where, `has the same finalizer as ${earlier[0]}; give each controller a different finalizer`)
    }
    report(where, nameFault(name))
    report(where, missingModelFault(model, frame))
    if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
      report(where, `has a concurrency of ${concurrency}; it must be a whole number of 1 or more`)
    }
    return { name, group: model.group, plural: model.plural }
  })
}

export function declareSchedules(
  { controllers = {}, schedules = {} }: AnyPlugin,
  report: Report,
): readonly ScheduleDeclaration[] {
  return Object.entries(schedules).map(([name, schedule]) => {
    const { timing } = schedule
    const where = `schedules.${name}`
    optionFaults('schedule', schedule, (fault) => report(where, fault))
    optionFaults('timing', timing, (fault) => report(where, fault))
    report(where, nameFault(name))
    if (Object.hasOwn(controllers, name)) report(where, 'is the name of a controller too; each has a lease of its name')
    if ('cron' in timing) report(where, cronFault(timing.cron))
    else if (durationMs(timing.every) === undefined) {
      report(where, `"${timing.every}" is not a duration; write 90s, 5m, 2h or 1d`)
    }
    return { name, ...timing }
  })
}

function nameFault(name: string): string | undefined {
  if (nameForm.test(name)) return undefined
  return 'must begin with a letter and contain only letters, digits and "-", 63 at most'
}
