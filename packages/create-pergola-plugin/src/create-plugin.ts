import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  groupFault,
  isAudienceGroup,
  kindFault,
  pluginNameFault,
  reservedGroupFault,
  resourceNameFault,
} from '@pergola/api'
import { modelNames } from './model-names.ts'
import { pluginFiles, type NewPlugin } from './plugin-files.ts'

/** An invalid argument. */
export class WordFault extends Error {}

/** The target folder exists and is not empty. */
export class FolderFault extends Error {}

export function checkName(name: string): void {
  const fault = pluginNameFault(name)
  if (fault !== undefined) throw new WordFault(`"${name}" cannot be the name of a plugin: it ${fault}`)
  const { kind, plural } = modelNames(name)
  const modelFault = kindFault(kind) ?? resourceNameFault(plural)
  if (modelFault !== undefined)
    throw new WordFault(`"${name}" would make a model called ${kind}, and that ${modelFault}`)
}

export function checkGroup(group: string): void {
  const fault = groupFault(group) ?? reservedGroupFault(group)
  if (fault !== undefined) throw new WordFault(`"${group}" cannot be an API group: it ${fault}`)
  if (isAudienceGroup(group)) {
    throw new WordFault(`"${group}" looks like a group that is derived; name the one behind "api." itself`)
  }
}

/** Rejects a non-empty folder before any question, to protect existing files. */
export function checkFolder(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new FolderFault(`${folder} already exists and is not empty; choose another name, or move it away`)
  }
}

/** Writes the files of a new plugin into the folder and returns their number. */
export function createPlugin(folder: string, plugin: NewPlugin): number {
  checkName(plugin.name)
  checkGroup(plugin.group)
  checkFolder(folder)
  const files = pluginFiles(plugin)
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text, { flag: 'wx' })
  }
  return files.size
}
