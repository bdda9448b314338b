import type { Authenticator, Origin } from '../../platform/caller.js';
import { GraphqlContext, type OperationServices } from '../execution/context.js';
import { SharedFeeds } from '../execution/following/shared-feeds.js';
import type { RequestFacts } from '../execution/request.js';

/** The context of an operation for the caller of a token, on any transport. Errors: `unauthenticated`. */
export type Authenticate = (
  token: string | undefined,
  request: Omit<Origin, 'channel'>,
  facts?: RequestFacts,
) => Promise<GraphqlContext>;

export function createAuthenticate(
  authenticator: Authenticator,
  shared: Omit<OperationServices, 'feeds'>,
): Authenticate {
  const services = { ...shared, feeds: new SharedFeeds(shared.units) };
  return async (token, { ip, requestId }, facts) => {
    const caller = await authenticator.authenticate(token, { channel: 'api', ip, requestId });
    return new GraphqlContext(caller, services, facts);
  };
}
