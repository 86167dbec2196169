import { gzipSync } from 'node:zlib'
import type { PluginDefinition } from '@pergola/api'

const block = 512

/** Creates an installable package of the plugin without its code, which already runs in this process. */
export function pluginArchive(definition: PluginDefinition, version = '0.0.0-test'): Uint8Array<ArrayBuffer> {
  const { name, displayName, icon, color, groups, permissions, protocol, roles } = definition
  const manifest = { name, version, displayName, icon, color, groups, permissions, protocol, definition }
  return new Uint8Array(
    gzipSync(
      Buffer.concat([
        entry('plugin.js', "throw new Error('this plugin runs in the process of its test')\n"),
        entry('plugin.json', JSON.stringify(manifest)),
        // JSON is valid YAML.
        entry('extensions/roles.yaml', roles.map((role) => `---\n${JSON.stringify(role)}\n`).join('')),
        Buffer.alloc(2 * block),
      ]),
    ),
  )
}

/** A tar entry: a header, and the content padded to a full block. */
function entry(path: string, text: string): Buffer {
  const bytes = Buffer.from(text)
  const header = Buffer.alloc(block)
  header.write(path, 0)
  header.write(`${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100)
  header.write(`${octal(bytes.length, 11)}\0${octal(0, 11)}\0`, 124)
  // The checksum treats its own field as spaces.
  header.write(`${' '.repeat(8)}0`, 148)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((all, byte) => all + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return Buffer.concat([header, bytes, Buffer.alloc((block - (bytes.length % block)) % block)])
}

function octal(value: number, length: number): string {
  return value.toString(8).padStart(length, '0')
}
