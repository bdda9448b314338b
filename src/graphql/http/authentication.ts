import type { Origin, Units } from '../../database/work.js';
import type { Authenticator } from '../../resources/access-token/authentication.service.js';
import { GraphqlContext } from '../execution/context.js';
import { createLargeReads } from '../execution/reading.js';
import type { RequestFacts } from '../execution/request.js';

/** What resolvers are given for a token, over any transport; `unauthenticated` where the token is of no use. */
export type Authenticate = (
  token: string | undefined,
  origin: Origin,
  facts?: RequestFacts,
) => Promise<GraphqlContext>;

export function createAuthenticate(
  authenticator: Authenticator,
  units: Units,
  maxContentBytes: number,
): Authenticate {
  const largeReads = createLargeReads();
  return async (token, origin, facts) => {
    const caller = await authenticator.authenticate(token, origin);
    return new GraphqlContext(caller, units, maxContentBytes, facts, largeReads);
  };
}
