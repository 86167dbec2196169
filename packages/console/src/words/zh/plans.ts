import type { PlanItemOf, PlanItemValues, PlanItemCode, PlanSectionCode } from '@pergola/api'
import type { PlanSentence, PlanWords } from '../en/plans.ts'

type Values<Code extends PlanItemCode> = PlanItemValues[Code]

const deedOf: Readonly<Record<string, string>> = {
  get: '查看',
  list: '查看',
  watch: '查看',
  create: '新建',
  update: '修改',
  patch: '修改',
  delete: '删除',
  deletecollection: '删除',
}
const allDeeds = ['查看', '新建', '修改', '删除']
const things: Readonly<Record<string, string>> = {
  users: '用户',
  roles: '角色',
  rolebindings: '角色持有者',
  configmaps: '设置',
  secrets: '密钥',
  personalaccesstokens: '访问令牌',
  '*': '所有内容',
}

const listed = (parts: readonly string[]) => parts.join('、')
const quoted = (names: readonly string[]) => names.map((name) => `“${name}”`).join('、')

function deeds(verbs: readonly string[]): string {
  if (verbs.includes('*')) return listed(allDeeds)
  return listed([...new Set(verbs.map((verb) => deedOf[verb] ?? `“${verb}”`))])
}

function missingDeeds(verbs: readonly string[]): string | undefined {
  const held = new Set(verbs.includes('*') ? allDeeds : verbs.map((verb) => deedOf[verb]))
  const missing = allDeeds.filter((deed) => !held.has(deed))
  return missing.length > 0 ? `不能${missing.join('或')}。` : undefined
}

function thing(resource: string): string {
  const [of = '', part] = resource.split('/')
  const named = things[of] ?? ` ${of} `
  return part === undefined ? named : `${named}的 ${part === '*' ? '所有部分' : part}`
}

function origin(group: string | undefined): string {
  if (group === undefined) return ''
  if (group === '*') return '主机和所有插件的'
  return group === '' || /(^|\.)platform\.run$/.test(group) ? '主机的' : ` ${group} 的`
}

/** One space between Chinese and Latin, none at the ends. */
const tidy = (text: string) =>
  text
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/ ([，。：、])/g, '$1')
    .trim()

function resourceWords({ verbs, resource, group, names = [], kind }: Values<'resource'>, section: PlanSectionCode) {
  const isOwn = kind !== undefined || group === undefined
  const code = `${verbs.join(', ')} ${resource}${names.length > 0 ? ` ${names.join(', ')}` : ''}${group ? ` · ${group}` : ''}`
  const which = `${thing(resource)}${quoted(names)}`
  if (section === 'requests') {
    return { text: tidy(`${deeds(verbs)}${origin(group)}${which}。`), detail: missingDeeds(verbs), code }
  }
  const from = isOwn ? '' : origin(group)
  if (section === 'public') return { text: tidy(`任何人无需登录即可${deeds(verbs)}${from}${which}。`), code }
  const whose = isOwn && names.length === 0 && resource !== '*' ? '所有人的' : from
  return { text: tidy(`${deeds(verbs)}${whose}${which}。`), code: isOwn ? undefined : code }
}

function routeWords({ method, path, description, names }: Values<'route'>, section: PlanSectionCode): PlanSentence {
  const code = `${method} ${path}`
  const detail = `${description ?? ''}${names ? `仅限${quoted(names)}。` : ''}` || undefined
  if (section === 'public') return { text: '无需登录即可应答互联网上的任何人。', detail, code }
  if (section === 'routes') return { text: `地址 ${code}`, detail }
  return { text: description ?? '使用插件的这个地址。', detail: description ? undefined : detail, code }
}

const roleName = ({ role = '', displayName }: { readonly role?: string; readonly displayName?: string }) =>
  `“${displayName ?? role}”`

function joinsWords({ target, ...role }: Values<'joins-role'>): PlanSentence {
  const code = `${role.role} → ${target}`
  if (target === 'authenticated') return { text: `所有登录的人获得角色${roleName(role)}。`, code }
  const detail = '该角色允许的内容立即生效。'
  return target === 'anonymous'
    ? { text: `任何人无需登录即可获得角色${roleName(role)}。`, detail, code }
    : { text: `持有角色“${target}”的人都获得角色${roleName(role)}。`, detail, code }
}

function modelWords({ values, change }: PlanItemOf<'model'>): PlanSentence {
  const { resource, group, versions, indexes, unique, check } = values
  const code = `${group}/${versions.join(', ')}`
  if (change === '-') return { text: resource, detail: '已存储的对象保留，但不再提供。', code }
  const parts = [
    indexes.length === 0 ? '没有可筛选的字段。' : `可按 ${indexes.map(field).join('、')} 筛选和排序。`,
    ...(unique.length > 0 ? [`唯一：${unique.map(field).join('、')}。`] : []),
    ...(check === 'yes' ? ['每次更改前由插件检查。'] : []),
  ]
  return { text: resource, detail: parts.join(''), code }
}

const field = (path: string) => path.split('.').at(-1) ?? path

const types: Readonly<Record<string, string>> = {
  string: '文本',
  integer: '整数',
  number: '数字',
  boolean: '是或否',
  array: '列表',
  list: '列表',
  object: '字段组',
  unique: '唯一',
}
const ofField = (resource: string, path: string) => `${resource}：字段 ${field(path)}`
const traits = (all: readonly string[]) => listed(all.map((trait) => types[trait] ?? trait.replace(':', ' ')))
const checkedOf = ({ checked, complete, resource }: Values<'nonconforming'>) =>
  `${complete === 'yes' ? '' : '前 '}${checked.toLocaleString('zh')} 个 ${resource}`
const kinds: Readonly<Record<string, string>> = { ConfigMap: '设置', Secret: '密钥', RoleBinding: '角色持有者' }
const aboutNames = { description: '说明', author: '作者', license: '许可证', homepage: '网站' }
const nameParts = { version: 'API 版本', kind: 'API 类型', singular: '单数名称' }

const items: PlanWords['items'] = {
  resource: ({ values }, section) => resourceWords(values, section),
  url: ({ values: { verbs, url } }, section) => ({
    text: section === 'requests' ? '调用主机的地址。' : '使用主机的地址。',
    code: `${verbs.join(', ')} ${url}`,
  }),
  owned: ({ values: { verbs, resource, names = [] } }) => ({
    text: tidy(`${deeds(verbs)}自己的 ${resource} ${names.length > 0 ? `，仅限${quoted(names)}` : ''}。`),
  }),
  route: ({ values }, section) => routeWords(values, section),
  app: ({ values: { group } }) => ({ text: '使用插件网页应用提供的其他内容。', code: group }),
  'includes-role': ({ values: { other } }, section) => ({
    text: section === 'public' ? `任何人无需登录即可做角色“${other}”允许的事。` : `做角色“${other}”允许的事。`,
  }),
  'joins-role': ({ values }) => joinsWords(values),
  role: ({ values }) => ({ text: `角色${roleName(values)}`, code: values.displayName && values.role }),
  'role-without-rights': ({ values }) => ({ text: `角色${roleName(values)}暂无任何权限。` }),
  'console-code': () => ({
    text: '在控制台中运行自己的代码。',
    detail: '其页面以打开者的权限运行：您能做的一切，它都可以以您的名义去做。请仅在信任作者时接受。',
  }),
  reference: ({ values: { resource, group, model, path } }) => ({
    text: `可以使 ${resource} 无法删除。`,
    detail: `有权写入 ${model} 的人可以引用它们；被引用的对象不能删除。`,
    code: `${model} ${path} → ${group === '' ? resource : `${resource}.${group}`}`,
  }),
  model: (item) => modelWords(item),
  'model-name': ({ values: { resource, field: what, before, after } }) => ({
    text: `${resource}：${nameParts[what]} ${before} → ${after}`,
  }),
  'model-status': ({ values: { resource, separate } }) => ({
    text: `${resource}：状态${separate === 'yes' ? '单独更改' : '与其他内容一起更改'}`,
  }),
  'model-check': ({ values: { resource, check } }) => ({
    text: `${resource}：${check === 'yes' ? '每次更改前由插件检查' : '不再由插件检查'}`,
  }),
  'model-display': ({ values: { resource } }) => ({ text: `${resource} 在控制台中的显示方式不同` }),
  'fields-cut': ({ values: { resource, limit } }) => ({ text: `${resource}：仅比较了前 ${limit} 个字段` }),
  field: ({ values: { resource, path, type, required }, change }) => ({
    text: ofField(resource, path),
    detail:
      change === '-'
        ? undefined
        : `${types[type ?? ''] ?? type ?? '任意值'}，${required === 'yes' ? '必填' : '可选'}。`,
    code: path,
  }),
  'field-required': ({ values: { resource, path, required } }) => ({
    text: `${ofField(resource, path)} 现为${required === 'yes' ? '必填' : '可选'}`,
    code: path,
  }),
  'field-keyword': ({ values: { resource, path, keyword, before = '无', after = '无' } }) => ({
    text: `${ofField(resource, path)}：${keyword} ${before} → ${after}`,
    code: path,
  }),
  'field-rewritten': ({ values: { resource, path, keyword } }) => ({
    text: `${ofField(resource, path)}：${keyword} 已更改`,
    code: path,
  }),
  'field-values': ({ values: { resource, path, added, removed } }) => ({
    text: `${ofField(resource, path)}：可选值已更改`,
    detail: [
      ...(added.length > 0 ? [`新增：${added.join('、')}。`] : []),
      ...(removed.length > 0 ? [`移除：${removed.join('、')}。`] : []),
    ].join(''),
    code: path,
  }),
  index: ({ values: { resource, name, unique }, change }) => ({
    text: `${resource} ${change === '-' ? '不再能' : '可'}按 ${field(name)} 筛选和排序`,
    detail: unique === 'yes' && change !== '-' ? '值不能重复。' : undefined,
    code: name,
  }),
  composite: ({ values: { resource, parts }, change }) => ({
    text: `${resource} ${change === '-' ? '不再能' : '可'}按 ${parts.map(field).join('、')} 组合快速筛选`,
  }),
  'index-order': ({ values: { resource, name, order } }) => ({
    text: `${resource} 按 ${field(name)} 排序时从最${order === 'descending' ? '高' : '低'}开始`,
    code: name,
  }),
  'index-rebuilt': ({ values: { resource, name, before, after } }) => ({
    text: `${resource}：重新准备按 ${field(name)} 筛选`,
    detail: `${traits(before)} → ${traits(after)}。`,
    code: name,
  }),
  controller: ({ values: { name, resource } }) => ({ text: name, detail: `每当 ${resource} 更改时。` }),
  schedule: ({ values: { name, every, cron } }) => ({
    text: name,
    detail: every === undefined ? `按计划 ${cron ?? ''}（UTC）。` : `每 ${every}。`,
  }),
  setting: ({ values: { name, required, secret } }) => {
    const said = [...(required === 'yes' ? ['必填'] : []), ...(secret === 'yes' ? ['密钥'] : [])]
    return { text: name, detail: said.length > 0 ? `${said.join('，')}。` : undefined }
  },
  limit: ({ values: { limit, value } }) => ({
    text: {
      memory: `使用 ${value} MiB 内存`,
      scratch: `保存 ${value} MiB 临时文件`,
      processes: `运行 ${value} 个进程`,
    }[limit],
    detail: '在每台服务器上；超过插件的默认上限。',
  }),
  'host-version': ({ values: { range } }) => ({ text: `Pergola ${range}` }),
  'plugin-version': ({ values: { plugin, range } }) => ({ text: `插件 ${plugin} ${range}` }),
  about: ({ values: { field: what, text } }) => ({ text: aboutNames[what], detail: text }),
  group: ({ values: { group } }) => ({ text: 'API 组', code: group }),
  refused: ({ values: { message } }) => ({
    text: '您无权这样做。',
    detail: '这会授予您未持有的权限。请联系持有这些权限的人。',
    code: message,
  }),
  'held-role': ({ values: { role, bindings } }) => ({
    text: `新版本没有角色“${role}”，但仍有人持有它。`,
    detail: `请先收回：${listed(bindings)}。`,
  }),
  'takeover-model': ({ values: { resource, group, count, replaced } }) => ({
    text: `接管 ${count.toLocaleString('zh')} 个已存储的 ${resource}。`,
    detail:
      replaced === 'yes' ? '它们成为此插件的数据，其结构由插件替换。' : '它们成为此插件的数据，尽管包中没有这个模型。',
    code: group,
  }),
  'takeover-settings': ({ values: { kind, name } }) => ({
    text: `接管已存储的${kinds[kind] ?? ` ${kind}`}。`,
    detail: '插件会将其作为自己的设置读取。',
    code: name,
  }),
  nonconforming: ({ values }) => ({
    text: `${checkedOf(values)} 中有 ${values.found.toLocaleString('zh')} 个不符合新结构。`,
    detail: '在有人更改之前保持原样。',
  }),
  'duplicate-values': ({ values }) => ({
    text: `${checkedOf(values)} 中有 ${values.found.toLocaleString('zh')} 个的 ${field(values.path)} 与其他重复。`,
    detail: '在每个值都不同之前，升级会失败。',
    code: values.path,
  }),
  dependent: ({ values: { plugin, version, needed, range } }) => ({
    text: `${plugin} ${version}`,
    detail: `它需要 ${needed} ${range}。`,
  }),
  'shared-account': () => ({
    text: '其进程以主机的账户运行。',
    detail: '崩溃不会影响其他部分，但其代码可以读取主机能读取的内容，脱离父进程的进程可能绕过限制。',
  }),
  objects: ({ values: { count, resource, group } }) => ({
    text: `${count.toLocaleString('zh')} 个 ${resource}`,
    code: group,
  }),
  'settings-object': ({ values: { kind, name } }) => ({ text: `它的${kinds[kind] ?? ` ${kind}`}`, code: name }),
  object: ({ values: { kind, name } }) => ({ text: `${kind}“${name}”` }),
  binding: ({ values: { name } }) => ({ text: `通过“${name}”持有它的人将失去它` }),
  'data-kept': ({ values: { groups } }) => ({
    text: '重新安装插件后，其数据仍然可用。',
    detail: '其他插件不能占用它的 API 组。',
    code: groups.join(', '),
  }),
  'groups-released': ({ values: { groups } }) => ({ text: '其他插件可以占用它的 API 组。', code: groups.join(', ') }),
}

export const plans: PlanWords = {
  sections: {
    blocked: '无法执行',
    about: '关于它',
    groups: 'API 组',
    models: '数据模型',
    indexes: '筛选',
    routes: '地址',
    roles: '按角色',
    public: '任何人，无需登录',
    'signed-in': '所有登录的人',
    unreached: '仅超级管理员',
    requests: '插件自身的权限',
    background: '后台工作',
    settings: '设置',
    needs: '需要',
    changes: '变更内容',
    takeover: '接管',
    nonconforming: '不符合的已存储数据',
    duplicates: '重复的值',
    dependents: '将停止的插件',
    isolation: '隔离',
    kept: '保留',
    deleted: '永久删除',
    'deleted-roles': '删除的角色',
    'deleted-objects': '删除的对象',
    'deleted-bindings': '失去角色的人',
    afterwards: '之后',
  },
  nothing: { changes: '仅更改其代码。', requests: '除自身数据外没有。' },
  items,
  whose: (who, sentence) => `${who}：${sentence}`,
  everybody: '所有登录的人',
  superAdministrators: '仅超级管理员',
}
