export const overview = {
  overview: {
    title: 'Overview',
    lead: 'Health of this installation.',
    hello: (name: string) => `Hello, ${name}`,
    helloLead: 'Choose from the menu what you want to work with.',
    requests: 'Requests per second',
    latency: 'Median latency',
    p99: '99th percentile',
    failed: 'Server errors',
    watchers: 'Open watches',
    memory: 'Memory',
    uptime: 'Started',
    plugins: 'Plugins',
    pluginsRunning: (running: number, failed: number, off: number) =>
      [`${running} running`, ...(failed > 0 ? [`${failed} failing`] : []), ...(off > 0 ? [`${off} off`] : [])].join(
        ', ',
      ),
    checks: 'Checks',
    checksLead: 'The same checks as pergola doctor.',
    ok: 'ok',
    notOk: 'failed',
    thisReplica: 'On the replica that answered, in the last 15 minutes.',
    chart: 'Requests per second in the last 15 minutes',
    version: 'Version',
  },
}
