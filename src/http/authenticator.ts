import type { Origin } from '../database/work.js';
import type { Caller } from '../platform/caller.js';

export interface Authenticator {
  /** The caller of an access token. Errors: `unauthenticated`, with one message for every cause. */
  authenticate(token: string | undefined, origin: Origin): Promise<Caller>;
}
