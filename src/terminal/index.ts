/** Exports for `*.terminal.ts` files, which may import nothing else of the /terminal/v1 toolkit. */
export { STREAM_BYTES } from '../http/pieces.js';
export { HttpProblem } from '../http/problem.js';
export { byteRangeOf, type ByteRange } from '../http/range.js';
export { CRC_PARAMETER, knownCrc } from './known-crc.js';
export type { TerminalExchange, TerminalReadBatch, TerminalRoute, TerminalWriteBatch } from './route.js';
