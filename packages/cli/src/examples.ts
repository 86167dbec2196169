/** Examples by command, shown in its help and in the reference. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  login: [
    'pergola login https://pergola.example.com',
    'pergola login localhost:8090 --username admin --password-file admin-password',
    'pergola login https://pergola.example.com --token-file token',
  ],
  whoami: ['pergola whoami', 'pergola whoami -o json'],
  list: [
    'pergola list todos',
    'pergola list todos --where state=open --sort -spec.due --limit 20',
    'pergola list todos --watch',
    'pergola list todos -o name',
  ],
  get: ['pergola get todo milk', 'pergola get todo milk -o json'],
  apply: ['pergola apply -f milk.yaml', 'pergola apply -f objects/ --recursive --plan'],
  delete: ['pergola delete todo milk tea', 'pergola delete -f milk.yaml --yes'],
  grant: ['pergola grant ann todo-view'],
  revoke: ['pergola revoke ann todo-view'],
  'can-i': [
    'pergola can-i delete todos',
    'pergola can-i list todos --as ann',
    'pergola can-i update todos/status milk',
  ],
  'who-can': ['pergola who-can delete todos', 'pergola who-can get secrets smtp'],
  'user add': ['pergola user add ann --display-name Ann --email ann@example.com', 'pergola user add ann --generate'],
  'token create': [
    "pergola token create --description 'nightly report' --expires 90d",
    'pergola token create --role todo-view -o token > token',
  ],
  'session list': ['pergola session list', 'pergola session list --user ann', 'pergola session list --all -o json'],
  'session end': ['pergola session end --user ann --all'],
  'plugin install': [
    'pergola plugin install todo-1.0.0.tgz --plan',
    'pergola plugin install todo-1.0.0.tgz --yes --approve console-code',
  ],
  'plugin upgrade': [
    'pergola plugin upgrade todo-1.1.0.tgz --plan',
    "pergola plugin upgrade todo-1.1.0.tgz --approve 'get secrets smtp'",
  ],
  doctor: ['pergola doctor', 'pergola doctor --config /etc/pergola/pergola.yaml'],
  'config check': ['pergola config check --config /etc/pergola/pergola.yaml'],
  'config print': ['pergola config print --changed'],
  replicas: ['pergola replicas', 'pergola replicas -o json'],
  'backup verify': ['pergola backup verify /var/backups/pergola-2026-11-16'],
  'plugin limits': ['pergola plugin limits todo', 'pergola plugin limits todo --memory 256'],
  'plugin run': ['pergola plugin run todo reminders', 'pergola plugin run todo reminders --wait 600'],
  'plugin logs': ['pergola plugin logs todo --follow'],
}
