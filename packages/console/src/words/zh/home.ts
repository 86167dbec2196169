import type { HealthCode, HealthValues } from '@pergola/api'
import type { WordsOf } from '../en.ts'
import type { home as en } from '../en/home.ts'

const list = (values: readonly string[]) => values.join('、')

const health: { readonly [Code in HealthCode]: (values: HealthValues[Code]) => string } = {
  accepting: ({ version }) => `正在接受请求，版本 ${version}。`,
  stopping: () => '服务器正在停止。',
  database: ({ store, schema, details }) => `${store}，数据结构 ${schema}${details === '' ? '' : `（${details}）`}`,
  'secrets-readable': ({ keys }) => (keys.length === 0 ? '未配置密钥。' : `所有机密均可读取，密钥：${list(keys)}。`),
  'secrets-locked': ({ missing, counts }) =>
    `缺少密钥：${missing.map((key, at) => `${key}（${counts[at] ?? 0} 个机密）`).join('、')}。`,
  feed: ({ state }) => `状态：${state}`,
  'plugins-starting': () => '插件仍在启动。',
  plugins: ({ isolation, root }) =>
    `${isolation === 'uid' ? '每个插件使用各自的系统账户' : '所有插件共用一个系统账户'}${root === 'yes' ? '，主机以 root 运行' : ''}。`,
  failed: ({ detail }) => `检查失败：${detail}`,
}

export const home: WordsOf<typeof en> = {
  home: {
    welcome: (name) => `欢迎，${name}。主机已在运行。`,
    welcomeLead: '再完成几步，团队即可开始使用。顺序不限。',
    morning: (name) => `早上好，${name}`,
    day: (name) => `您好，${name}`,
    evening: (name) => `晚上好，${name}`,
    nextSteps: '后续步骤',
    doneOf: (done, all) => `${done} / ${all}`,
    hide: '隐藏',
    steps: {
      admin: { title: '您是管理员', detail: '', action: '' },
      plugin: { title: '安装插件', detail: '插件带来团队使用的数据：待办、采购、文章等。', action: '选择安装包' },
      people: { title: '添加人员', detail: '逐个添加，或让他们使用单位账户登录。', action: '添加人员' },
      roles: { title: '设定权限', detail: '授予角色，或让每个人只使用自己的数据。', action: '角色' },
      backup: { title: '备份', detail: '目前还没有数据备份。', action: 'pergola backup' },
    },
    host: '本主机',
    checksPass: '检查全部通过',
    checksFail: '有检查未通过',
    version: '版本',
    address: '地址',
    started: '启动于',
    developers: '开发者',
    developersLead: '编写您的第一个插件，运行后数据即出现在控制台。',
    attention: '需要处理',
    allFine: '没有需要处理的事项。',
    failing: (plugin) => `${plugin} 未运行`,
    checkFails: (check) => `检查“${check}”未通过`,
    tokenEnds: (token, day) => `令牌“${token}”将于 ${day} 到期`,
    tokenEndsHint: '届时使用它的程序将停止工作，请提前新建。',
    logs: '日志',
    open: '打开',
    all: (count) => `全部 ${count} 个`,
    noWork: '暂无可用数据',
    noWorkHint: '管理员可以安装插件或授予您角色。',
  },
  metrics: {
    title: '指标',
    lead: '应答服务器的数据。',
    requests: '每秒请求数',
    lastMinutes: '最近 15 分钟',
    latency: '中位延迟',
    p99: '第 99 百分位',
    failed: '服务器错误',
    failedWhere: '查看插件日志',
    failing: (plugins) => `未运行：${plugins.join('、')}`,
    watchers: '打开的监听',
    memory: '内存',
    uptime: '启动于',
    checks: '检查',
    ok: '正常',
    notOk: '未通过',
    chart: '最近 15 分钟的每秒请求数',
  },
  health,
  checkNames: {
    accepting: '接受请求',
    database: '数据库',
    secrets: '机密',
    feed: '变更推送',
    plugins: '插件',
  },
}
