import type { Shot, World } from '../shot.ts'
import { token } from '../server-process.ts'

/** Byte sequences that are not valid HTTP. */
export function hostileBytes({ random, models }: World): Shot {
  const { path } = random.pick(models)
  const [what, bytes] = random.pick(requests)(path)
  return {
    kind: 'hostile',
    what: `bytes: ${what}`,
    expected: 'any',
    line: { method: 'bytes', path: JSON.stringify(bytes.slice(0, 300)), headers: {} },
    bytes: Buffer.from(bytes, 'latin1'),
  }
}

const rest = `host: x\r\nauthorization: Bearer ${token}\r\nconnection: close`

const requests: readonly ((path: string) => readonly [string, string])[] = [
  () => ['garbage', '\0\x01\x02\xff\xfe garbage'],
  () => ['nothing', ''],
  () => ['only ends of lines', '\r\n'.repeat(50)],
  () => ['half a line', 'GET /ap'],
  (path) => ['no end', `GET ${path} HTTP/1.1\r\nhost: x\r\n`],
  (path) => ['no host', `GET ${path}?size=1 HTTP/1.1\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n\r\n`],
  (path) => ['HTTP/1.0', `GET ${path}?size=1 HTTP/1.0\r\n${rest}\r\n\r\n`],
  (path) => ['HTTP/9.9', `GET ${path} HTTP/9.9\r\n${rest}\r\n\r\n`],
  () => ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  () => ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  (path) => ['a method in small letters', `get ${path} HTTP/1.1\r\n${rest}\r\n\r\n`],
  (path) => ['an unknown method', `FOO ${path} HTTP/1.1\r\n${rest}\r\n\r\n`],
  () => ['CONNECT', `CONNECT example.com:443 HTTP/1.1\r\n${rest}\r\n\r\n`],
  () => ['asterisk', `OPTIONS * HTTP/1.1\r\n${rest}\r\n\r\n`],
  (path) => ['a space in the path', `GET ${path}/a b HTTP/1.1\r\n${rest}\r\n\r\n`],
  (path) => ['bytes in the path', `GET ${path}/\xe4\xff HTTP/1.1\r\n${rest}\r\n\r\n`],
  (path) => ['two lengths', `POST ${path} HTTP/1.1\r\n${rest}\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}x`],
  (path) => [
    'a length and chunks',
    `POST ${path} HTTP/1.1\r\n${rest}\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  (path) => ['a length below nothing', `POST ${path} HTTP/1.1\r\n${rest}\r\ncontent-length: -1\r\n\r\n`],
  (path) => ['a huge length', `POST ${path} HTTP/1.1\r\n${rest}\r\ncontent-length: 99999999999999999999\r\n\r\n`],
  (path) => [
    'a body cut short',
    `POST ${path} HTTP/1.1\r\n${rest}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":`,
  ],
  (path) => [
    'chunks',
    `POST ${path} HTTP/1.1\r\n${rest}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ],
  (path) => [
    'broken chunks',
    `POST ${path} HTTP/1.1\r\n${rest}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
  ],
  (path) => [
    'chunks and a trailer',
    `POST ${path} HTTP/1.1\r\n${rest}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nauthorization: x\r\n\r\n`,
  ],
  (path) => [
    'another encoding',
    `POST ${path} HTTP/1.1\r\n${rest}\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  ],
  (path) => ['a folded header', `GET ${path} HTTP/1.1\r\n${rest}\r\nx: a\r\n b\r\n\r\n`],
  (path) => ['a header without a name', `GET ${path} HTTP/1.1\r\n${rest}\r\n: x\r\n\r\n`],
  (path) => ['bytes in a header', `GET ${path}?size=1 HTTP/1.1\r\n${rest}\r\nif-match: \xff\x01\r\n\r\n`],
  (path) => ['a long header', `GET ${path} HTTP/1.1\r\n${rest}\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`],
  (path) => ['many at once', `GET ${path}?size=1 HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(20)],
  (path) => ['credentials twice', `GET ${path}?size=1 HTTP/1.1\r\n${rest}\r\nauthorization: Bearer y\r\n\r\n`],
  (path) => [
    'wait and see',
    `POST ${path} HTTP/1.1\r\n${rest}\r\nexpect: 100-continue\r\ncontent-length: 2\r\ncontent-type: application/json\r\n\r\n{}`,
  ],
]
