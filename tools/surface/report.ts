import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor'
import { ExtractorLogLevel, ExtractorMessageCategory, type ExtractorMessage } from '@microsoft/api-extractor'

/**
 * Writes the public API of each package to a report file: `npm run surface` writes it, and with
 * `--check` compares it. Reads the output of `npm run build`.
 */
const folder = resolve('packages/plugin-sdk')
const entries = [
  { entry: resolve('packages/client/dist/index.d.ts'), report: 'client', withInnerTypes: true },
  { entry: join(folder, 'dist/index.d.ts'), report: 'plugin-sdk', withInnerTypes: true },
  { entry: join(folder, 'dist/decorators/index.d.ts'), report: 'plugin-sdk-decorators', withInnerTypes: false },
  { entry: join(folder, 'dist/run/index.d.ts'), report: 'plugin-sdk-run', withInnerTypes: false },
  { entry: join(folder, 'dist/testing/index.d.ts'), report: 'plugin-sdk-testing', withInnerTypes: false },
]
/** In a program of its own: Vue declares global names, which would rename exports of the SDK. */
const kit = { entry: resolve('packages/console/kit.d.ts'), report: 'console', withInnerTypes: true }
const reports = 'docs/surface'

const check = process.argv.includes('--check')
mkdirSync(reports, { recursive: true })
const faults = [entries, [kit]].flatMap(faultsOfProgram)
for (const fault of faults) console.error(fault)
process.exitCode = faults.length === 0 ? 0 : 1

/** Uses one program for all entries, because most of the time is spent on reading types. */
function faultsOfProgram(of: typeof entries): readonly string[] {
  const configs = of.map(configOf)
  const [first] = configs
  if (!first) throw new Error('there is nothing to report')
  const compilerState = CompilerState.create(first, { additionalEntryPoints: of.map(({ entry }) => entry) })
  return configs.flatMap((config) => faultsOf(config, compilerState))
}

function faultsOf(config: ExtractorConfig, compilerState: CompilerState): readonly string[] {
  const found: string[] = []
  const { apiReportChanged } = Extractor.invoke(config, {
    localBuild: !check,
    compilerState,
    messageCallback: (message) => keep(message, found),
  })
  if (check && apiReportChanged)
    found.push('is not what the code says; npm run surface writes it, look at the difference')
  return found.map((fault) => `${config.reportFilePath.replace(`${process.cwd()}/`, '')}: ${fault}`)
}

/** Prints faults of the code. A changed report is reported by our own message. */
function keep(message: ExtractorMessage, kept: string[]): void {
  message.handled = true
  const isWrong = message.logLevel === ExtractorLogLevel.Error || message.logLevel === ExtractorLogLevel.Warning
  if (isWrong && message.category !== ExtractorMessageCategory.Console)
    kept.push(message.formatMessageWithLocation(process.cwd()))
}

function configOf({ entry, report, withInnerTypes }: (typeof entries)[number]): ExtractorConfig {
  const none = { logLevel: ExtractorLogLevel.None }
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: entry,
      compiler: {
        // Reads compiled packages without sources, as authors do.
        overrideTsconfig: {
          compilerOptions: {
            target: 'es2022',
            lib: ['es2022', 'esnext.disposable', 'dom', 'dom.iterable'],
            module: 'nodenext',
            types: [],
            strict: true,
            skipLibCheck: true,
          },
          files: [entry],
        },
      },
      newlineKind: 'lf',
      apiReport: {
        enabled: true,
        reportFileName: report,
        reportFolder: resolve(reports),
        reportTempFolder: resolve('node_modules/.cache/surface'),
        includeForgottenExports: withInnerTypes,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.Warning },
          // Every export is public, and comments need no special tags.
          'ae-missing-release-tag': none,
          'ae-undocumented': none,
          'ae-forgotten-export': none,
        },
        tsdocMessageReporting: { default: none },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, 'package.json'),
  })
}
