/** What a `*.terminal.ts` may use of the toolkit for /terminal/v1. */
export { STREAM_BYTES } from '../http/pieces.js';
export { HttpProblem } from '../http/problem.js';
export { byteRangeOf, type ByteRange } from '../http/range.js';
export { CRC_PARAMETER, knownCrc } from './known-crc.js';
export type { TerminalExchange, TerminalReadBatch, TerminalRoute, TerminalWriteBatch } from './route.js';
