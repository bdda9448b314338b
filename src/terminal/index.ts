/** Exports for `*.terminal.ts` files, which may import nothing else of the /terminal/v1 toolkit. */
export { HttpProblem } from '../http/problem.js';
export { bearerToken, byteRangeOf, type ByteRange, isUnchanged } from '../http/request.js';
export { EVENTS, EVENTS_COMMENT, JSON_TYPE, STREAM_BYTES } from '../http/send.js';
export { LINE_STATUSES, NDJSON_TYPE } from '../rest/lines.js';
export { parameter } from '../rest/route.js';
export type { TerminalAnswer } from './answer.js';
export type { TerminalCall, TerminalRoute } from './router.js';
