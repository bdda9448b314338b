/** What a `*.terminal.ts` may use of the toolkit for /terminal/v1. */
export type { TerminalRoute } from './route.js';
