import type { Random } from '../platform/random.js';
import type { Shared } from './shared.js';
import type { TerminalHttp } from './terminal-http.js';

/** State shared by the parts of one terminal. */
export interface TerminalParts {
  readonly shared: Shared;
  readonly serialNumber: string;
  readonly http: TerminalHttp;
  readonly random: Random;
}
