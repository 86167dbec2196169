import { can, definePlugin } from '@pergola/plugin-sdk'
import { balance, follow } from './background.ts'
import { Budget, Purchase, User } from './models.ts'
import { approve, deliver, manage, request, view } from './roles.ts'
import { again, changes, decide, delivered, mine, report } from './routes.ts'
import { Settings } from './settings.ts'

/**
 * Purchases: somebody asks for one, who answers for the budget decides, a shop gets the order, and the supplier says when it came.
 * `extensions/` holds what is declared by hand beside this.
 */
export default definePlugin({
  name: 'purchasing',
  displayName: 'Purchasing',
  models: [Budget, Purchase],
  settings: Settings,
  roles: [request, view, approve, manage, deliver],
  uc: [mine, again],
  console: [decide, report, changes],
  public: [delivered],
  controllers: { follow },
  schedules: { balance },
  permissions: [can('get', User)], // beyond its own models; whoever installs it is asked
})
