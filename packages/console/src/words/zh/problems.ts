import type { FieldRule, Reason } from '@pergola/api'

type Params = Readonly<Record<string, unknown>>

const say = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const list = (value: unknown) => (Array.isArray(value) ? value.map(say).join('、') : say(value))
const of = (params: Params, ...names: readonly string[]) => names.every((name) => params[name] !== undefined)
const named = ({ kind, name }: Params) => `${say(kind)}“${say(name)}”`

const duplicateOfIndex = ({ value, index, holder }: Params) =>
  index === undefined
    ? undefined
    : `${say(index)} 的值 ${say(value)} 已被${holder === undefined ? '' : `“${say(holder)}”`}占用。`

const verbs: Readonly<Record<string, string>> = {
  get: '查看',
  list: '列出',
  watch: '监视',
  create: '新建',
  update: '修改',
  patch: '修改',
  delete: '删除',
  '*': '任意操作',
}
const verbWords = (value: unknown) =>
  [value]
    .flat()
    .map((verb) => verbs[say(verb)] ?? say(verb))
    .join('、')

function naming({ fault, actual, limit }: Params): string {
  const isLong = fault === 'length' || fault === 'bytes' || fault === 'prefix-length'
  if (isLong) return `长度为 ${say(actual)}，至多 ${say(limit)}。`
  if (fault === 'duplicate') return '重复了。'
  if (fault === 'forbidden' || fault === 'reserved') return '不能使用这个名称。'
  return '含有不允许的字符。'
}

const types: Readonly<Record<string, string>> = {
  string: '文本',
  number: '数字',
  integer: '整数',
  boolean: '是或否',
  array: '列表',
  object: '对象',
  null: '空值',
}
const indexFaults: Readonly<Record<string, string>> = {
  twice: '索引重复。',
  form: '索引的写法无效。',
  path: '索引的路径不存在。',
  direction: '排序方向无效。',
  unknown: '没有这个索引。',
  several: '只能有一个值。',
}
const formats: Readonly<Record<string, string>> = {
  email: '邮件地址，如 name@company.com',
  uri: '网址，如 https://company.com',
  date: '日期，如 2026-11-24',
  'date-time': '日期和时间，如 2026-11-24T09:30:00Z',
  time: '时间，如 09:30:00Z',
  uuid: 'UUID',
  ipv4: 'IPv4 地址',
  ipv6: 'IPv6 地址',
  hostname: '主机名',
  duration: '时长，如 P1DT2H',
}

/** Rules that only the console checks. */
type LocalRule = 'date' | 'email' | 'integer' | 'uri'

interface Sentences {
  readonly title: string
  /** Undefined if the parameters are not enough for a sentence. */
  readonly detail: (params: Params) => string | undefined
}

const byReason: Readonly<Record<Reason, Sentences>> = {
  BadRequest: {
    title: '无法理解请求',
    detail: () => '请刷新页面后重试。若仍失败，请把“详细信息”中的请求编号告诉管理员。',
  },
  InvalidSelector: { title: '无法解析筛选条件', detail: () => '请检查筛选条件的写法，或清除后重新选择。' },
  FieldNotIndexed: { title: '该字段没有索引', detail: () => '只能按有索引的字段筛选和排序，请换一个字段。' },
  InvalidPage: { title: '页码或每页数量无效', detail: () => '请回到第一页。' },
  TypeMismatch: { title: '内容的类型与地址不符', detail: () => '内容中的类型须与所在页面的模型相同。' },
  Unauthenticated: { title: '缺少凭据，或凭据无效', detail: () => '请重新登录。' },
  Forbidden: {
    title: '没有权限',
    detail: (params) => {
      const { verb, resource, name, path, role } = params
      if (of(params, 'verb', 'resource'))
        return `不允许${verbWords(verb)} ${say(resource)}${name === undefined ? '' : `“${say(name)}”`}。`
      if (of(params, 'verb', 'path')) return `不允许 ${say(verb)} ${say(path)}。`
      return role === undefined ? undefined : `${say(role)} 是内置角色，不能删除。`
    },
  },
  EscalationForbidden: {
    title: '不能授予自己没有的权限',
    detail: (params) => {
      const { role, plugin, missing, what, verbs: some, resources, groups, paths } = params
      if (missing !== undefined) return `角色“${list(missing)}”不存在，请先创建它。`
      if (plugin !== undefined) return `插件“${say(plugin)}”须由超级管理员安装。`
      if (resources !== undefined)
        return `${say(what)} 授予了您没有的权限：${verbWords(some)} ${list(resources)}（${list(groups) || '核心组'}）。`
      if (paths !== undefined) return `${say(what)} 授予了您没有的权限：${verbWords(some)} ${list(paths)}。`
      return role === undefined && what === undefined ? undefined : '权限过多，无法一次比较，请分次授予。'
    },
  },
  CrossSite: { title: '请求来自其他网站', detail: () => '请从本系统自己的地址打开页面后重试。' },
  NotFound: {
    title: '不存在',
    detail: (params) => {
      if (of(params, 'kind', 'name')) return `${named(params)}不存在。`
      if (of(params, 'user', 'issuer')) return `用户“${say(params['user'])}”没有 ${say(params['issuer'])} 的身份。`
      return params['path'] === undefined ? undefined : `${say(params['path'])} 处没有内容。`
    },
  },
  ModelNotFound: {
    title: '模型不存在',
    detail: ({ plural, apiVersion }) => `${say(apiVersion)} 中没有 ${say(plural)}。`,
  },
  MethodNotAllowed: { title: '此地址不支持该方法', detail: () => '此处不支持该操作。' },
  AlreadyExists: {
    title: '已存在',
    detail: (params) => (of(params, 'kind', 'name') ? `${named(params)}已存在，请换一个名称。` : undefined),
  },
  VersionConflict: {
    title: '对象已被修改',
    detail: (params) => (of(params, 'kind', 'name') ? `${named(params)}已被修改，请重新读取后再试。` : undefined),
  },
  DuplicateIndexValue: {
    title: '值须唯一，但已被占用',
    detail: ({ value, index, holder, field, duplicateOf }) => {
      if (duplicateOf === undefined) return duplicateOfIndex({ value, index, holder })
      const other = duplicateOf === '' ? '其他数据' : `“${say(duplicateOf)}”`
      return field === '' ? `与${other}重复。` : `${say(field)}已被${other}占用。`
    },
  },
  InUse: {
    title: '正在使用中',
    detail: (params) => {
      const { role, binding, name, version, plural, group, plugin, count, by } = params
      if (binding !== undefined) return `角色“${say(role)}”被绑定“${say(binding)}”使用，请先删除绑定。`
      if (version !== undefined) return `${say(name)} 正在升级到 ${say(version)}，请等待完成。`
      if (count !== undefined) return `还有 ${say(count)} 个 ${say(plural)}，请先删除它们。`
      if (by !== undefined) return `${say(name ?? plural)} 被 ${say(by)} 引用，请先删除或修改它们。`
      if (plugin !== undefined) return `${say(group)} 属于插件 ${say(plugin)}。`
      return name === undefined ? undefined : `${say(name)} 正在清除，请等待完成。`
    },
  },
  Conflict: { title: '当前状态不允许此操作', detail: () => '请刷新后查看当前状态，再重试。' },
  FenceLost: { title: '租约已转给其他持有者', detail: () => '其他服务器已接手该任务，无需重试。' },
  RevisionExpired: { title: '该修订已不再保留', detail: () => '改动已不再保留，请刷新页面。' },
  PreconditionFailed: { title: '前提条件不成立', detail: () => '数据已被修改，请刷新后再试。' },
  PayloadTooLarge: {
    title: '内容过大',
    detail: ({ limit }) => (limit === undefined ? undefined : `至多 ${say(limit)} 字节。`),
  },
  UnsupportedMediaType: { title: '不支持该内容类型', detail: () => '请换一种文件格式。' },
  Invalid: { title: '内容无效', detail: () => '请更正标出的字段。' },
  TooManyRequests: {
    title: '请求过多',
    detail: ({ seconds }) => (seconds === undefined ? '请稍后再试。' : `请在 ${say(seconds)} 秒后重试。`),
  },
  Internal: { title: '服务器出错', detail: () => '请稍后重试。若仍失败，请把“详细信息”中的请求编号告诉管理员。' },
  PluginFailed: {
    title: '插件出错',
    detail: ({ plugin }) => `请稍后重试。原因见${plugin === undefined ? '该插件' : `插件“${say(plugin)}”`}的日志。`,
  },
  PluginNotStarted: {
    title: '插件尚未启动',
    detail: ({ plugin }) =>
      `请等待${plugin === undefined ? '该插件' : `插件“${say(plugin)}”`}启动，或在“插件”页查看原因。`,
  },
  IndexBuilding: { title: '索引仍在构建中', detail: () => '请等待索引构建完成后再筛选或排序。' },
  Unavailable: { title: '服务器暂时无法应答', detail: () => '请稍后重试，页面会自动重新连接。' },
  Draining: { title: '服务器正在停止', detail: () => '服务器恢复后页面会自动重新连接。' },
  PluginTimeout: {
    title: '插件未及时应答',
    detail: ({ plugin }) => `请稍后重试。原因见${plugin === undefined ? '该插件' : `插件“${say(plugin)}”`}的日志。`,
  },
}

const titleOf = (reason: string) => (Object.hasOwn(byReason, reason) ? byReason[reason as Reason].title : reason)

const byRule: Readonly<Record<FieldRule | LocalRule, (params: Params) => string | undefined>> = {
  anyOf: () => '不符合任何一种允许的形式。',
  approval: ({ approval }) => `须先批准 ${say(approval)}。`,
  const: ({ allowedValue }) => `须为 ${JSON.stringify(allowedValue)}。`,
  contains: ({ minContains }) => `至少要有 ${say(minContains)} 项符合要求。`,
  date: () => '不是日期，请写成 2026-11-24。',
  dependentRequired: ({ property, missingProperty }) => `有 ${say(property)} 时必须填写 ${say(missingProperty)}。`,
  depth: ({ limit }) => `嵌套至多 ${say(limit)} 层。`,
  duplicate: () => '重复了。',
  email: () => '地址不完整，请写成 name@company.com。',
  enum: ({ allowedValues }) => `只能是：${list(allowedValues)}。`,
  exclusiveMaximum: ({ limit }) => `须小于 ${say(limit)}。`,
  exclusiveMinimum: ({ limit }) => `须大于 ${say(limit)}。`,
  exists: (params) => (params['fault'] === 'taken' ? '已被占用，请换一个。' : `${named(params)}不存在。`),
  finalizer: naming,
  format: ({ format }) => (formats[say(format)] ? `须为${formats[say(format)]}。` : undefined),
  future: () => '须在将来。',
  held: ({ role }) => `您没有角色“${say(role)}”。`,
  immutable: ({ stored }) => `不能修改，保持为 ${say(stored)}。`,
  integer: () => '须为整数。',
  key: naming,
  labelValue: naming,
  limit: ({ limit, actual }) => `有 ${say(actual)} 项，至多 ${say(limit)} 项。`,
  maxItems: ({ limit }) => `至多 ${say(limit)} 项。`,
  maxLength: ({ limit }) => `至多 ${say(limit)} 个字符。`,
  maxProperties: ({ limit }) => `至多 ${say(limit)} 个字段。`,
  maximum: ({ limit }) => `至多为 ${say(limit)}。`,
  minItems: ({ limit }) => `至少 ${say(limit)} 项。`,
  minLength: ({ limit }) => `至少 ${say(limit)} 个字符。`,
  minProperties: ({ limit }) => `至少 ${say(limit)} 个字段。`,
  minimum: ({ limit }) => `至少为 ${say(limit)}。`,
  multipleOf: ({ multipleOf }) => `须为 ${say(multipleOf)} 的倍数。`,
  name: (params) => (params['fault'] === 'expected' ? `须为 ${say(params['expected'])}。` : naming(params)),
  not: () => '不允许这个值。',
  nul: () => '含有不允许的字符。',
  number: ({ limit, kept }) =>
    limit !== undefined
      ? `超出范围，至多 ${say(limit)}。`
      : kept === undefined
        ? '不是数字。'
        : `只能存为 ${say(kept)}。`,
  oneOf: () => '必须恰好符合一种允许的形式。',
  password: () => '密码太弱或太短。',
  pattern: () => '格式不符。',
  propertyNames: ({ propertyName }) => `不允许名为 ${say(propertyName)} 的字段。`,
  required: () => '必填。',
  size: ({ limit }) => `至多 ${say(limit)} 字节。`,
  surrogate: () => '含有不允许的字符。',
  taken: ({ holders }) => `已被 ${list(holders)} 使用。`,
  type: ({ type, expected }) =>
    expected === undefined
      ? `须为${[type]
          .flat()
          .map((one) => types[say(one)] ?? say(one))
          .join('或')}。`
      : `须为 ${say(expected)}。`,
  unique: ({ holder }) => (holder === undefined ? '已被占用。' : `已被“${say(holder)}”占用。`),
  uniqueItems: ({ i, j }) => `第 ${Number(j) + 1} 项与第 ${Number(i) + 1} 项重复。`,
  unknown: () => '没有这个字段。',
  reference: ({ resource, name }) => `${say(resource)} 中没有“${say(name)}”，或者它正在被删除。`,
  uri: () => '地址不完整，请写成 https://company.com。',
  version: ({ stored }) => `现为版本 ${say(stored)}。`,
  // The plugin's own sentence.
  check: () => undefined,
  display: () => '显示设置无效。',
  index: ({ fault, limit }) =>
    fault === 'too-few' || limit !== undefined
      ? `索引数量或取值超出限制${limit === undefined ? '' : `，至多 ${say(limit)}`}。`
      : (indexFaults[say(fault)] ?? '索引定义无效。'),
  json: () => '不是有效的 JSON。',
  operation: ({ reason }) => (reason === undefined ? undefined : `此项操作失败：${titleOf(say(reason))}。`),
  package: () => '安装包无效，请重新构建后再上传。',
  patch: () => '修改内容的写法无效。',
  plugin: () => '由插件管理，不能在此修改。',
  query: () => '地址中的参数无效。',
  readOnly: () => '拥有者不能写入此字段，请省略。',
  reserved: () => '此名称保留给服务器使用。',
  schema: () => '数据结构定义无效。',
  selector: () => '无法解析筛选条件。',
  settings: ({ belongsIn }) => (belongsIn === 'secret' ? '此设置须存为机密。' : '此设置不是机密，须存为普通设置。'),
  uid: ({ stored }) => `对象已被替换，现在的 UID 是 ${say(stored)}。`,
  upgrade: () => '只能在升级插件时修改。',
  versions: ({ actual }) => `须恰好有一个版本，现有 ${say(actual)} 个。`,
}

export const problems = { problems: byReason, rules: byRule }
