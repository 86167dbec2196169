import { can, definePlugin } from '@pergola/plugin-sdk'
import { count, remind } from './background.ts'
import { Event, Registration, User } from './models.ts'
import { attend, look, manage, view } from './roles.ts'
import { cancel, guests, mine, program, register, seats } from './routes.ts'
import { Settings } from './settings.ts'

/**
 * Events: anybody reads the program, a user takes a seat or gives it back, guests are reminded. `extensions/` contains further objects in
 * YAML.
 */
export default definePlugin({
  name: 'events',
  displayName: 'Events',
  icon: 'calendar',
  color: 'green',
  models: [Event, Registration],
  settings: Settings,
  roles: [look, attend, view, manage],
  uc: [mine, register, cancel],
  public: [program],
  console: [guests, seats],
  controllers: { remind },
  schedules: { count },
  permissions: [can('get', User)], // rights beyond its own models, which the operator approves
  pages: [{ path: '', title: { en: 'Program', zh: '活动' }, allow: view }],
})
