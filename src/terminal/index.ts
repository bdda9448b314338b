/** What a `*.terminal.ts` may use of the toolkit for /terminal/v1. */
export type { TerminalExchange, TerminalRoute } from './route.js';
