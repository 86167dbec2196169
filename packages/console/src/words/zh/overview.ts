import type { WordsOf } from '../en.ts'
import type { overview as en } from '../en/overview.ts'

export const overview: WordsOf<typeof en> = {
  overview: {
    title: '概览',
    lead: '此安装的运行状况。',
    hello: (name) => `您好，${name}`,
    helloLead: '请从菜单中选择要处理的内容。',
    requests: '每秒请求数',
    latency: '延迟',
    p99: '99% 不超过',
    failed: '服务器失败',
    watchers: '打开的监听',
    memory: '内存',
    uptime: '启动时间',
    plugins: '插件',
    pluginsRunning: (running, failed, off) =>
      [
        `${running} 个运行中`,
        ...(failed > 0 ? [`${failed} 个出错`] : []),
        ...(off > 0 ? [`${off} 个已停用`] : []),
      ].join('，'),
    checks: '检查',
    checksLead: '与 "pergola doctor" 的检查相同。',
    ok: '正常',
    notOk: '失败',
    thisReplica: '来自应答的副本，最近 15 分钟。',
    chart: '最近 15 分钟每秒请求数',
    version: '版本',
  },
}
