import type { PackageContents } from '@pergola/api'

/** Summarises a package: `1 model, 6 indexes, 4 role templates, 3 routes + own todos`. */
export function describeDefinition({ definition, roles = [] }: PackageContents): string {
  const { models, routes, owned, controllers, schedules } = definition
  const indexes = models.reduce((sum, model) => sum + (model.indexes?.length ?? 0), 0)
  const own = owned.map(({ plural }) => ` + own ${plural}`).join('')
  const parts = [
    counted(models.length, 'model'),
    counted(indexes, 'index', 'indexes'),
    counted(definition.roles.length + roles.length, 'role template'),
    counted(routes.length, 'route') || (own === '' ? '' : 'no routes'),
  ]
  const text = `${parts.filter((part) => part !== '').join(', ')}${own}`
  const more = [counted(controllers.length, 'controller'), counted(schedules.length, 'schedule')]
  return [text, ...more].filter((part) => part !== '').join(', ') || 'nothing yet'
}

function counted(count: number, one: string, several = `${one}s`): string {
  if (count === 0) return ''
  return `${count} ${count === 1 ? one : several}`
}
