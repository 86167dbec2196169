export { testHost } from './test-host.ts'
export type { TestCaller, TestHost, TestHostOptions } from './test-host.ts'
export type { Companion } from './companions.ts'
export type { AnswerOutside, SentRequest } from './outside-world.ts'
