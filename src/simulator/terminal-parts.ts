import type { Random } from '../platform/random.js';
import type { TerminalHttp } from './http/terminal-http.js';
import type { Shared } from './shared.js';

/** What the parts of one terminal share. */
export interface TerminalParts {
  readonly shared: Shared;
  readonly serialNumber: string;
  readonly http: TerminalHttp;
  readonly random: Random;
}
