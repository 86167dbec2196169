import { can, definePlugin } from '@pergola/plugin-sdk'
import { balance, follow } from './background.ts'
import { Budget, Purchase, User } from './models.ts'
import { approve, deliver, manage, request, view } from './roles.ts'
import { again, changes, decide, delivered, mine, report } from './routes.ts'
import { Settings } from './settings.ts'

/**
 * Purchases: a user requests one, the budget owner decides, a shop gets the order, and the supplier reports the delivery.
 * `extensions/` contains further objects in YAML.
 */
export default definePlugin({
  name: 'purchasing',
  displayName: 'Purchasing',
  icon: 'shopping-cart',
  color: 'violet',
  models: [Budget, Purchase],
  settings: Settings,
  roles: [request, view, approve, manage, deliver],
  uc: [mine, again],
  console: [decide, report, changes],
  public: [delivered],
  controllers: { follow },
  schedules: { balance },
  permissions: [can('get', User)], // rights beyond its own models, which the operator approves
})
