import type { Answer } from './call.ts'

export function jsonAnswer(status: number, body: Answer['body'], headers: Answer['headers'] = {}): Answer {
  return { status, contentType: 'application/json', headers, body }
}
