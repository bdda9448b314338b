/** Requests to addresses that users have given, such as those of webhooks. */
import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';

import type { RuleMessage } from './rules.js';

export interface OutgoingPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the request. */
  readonly signal?: AbortSignal;
}

/** Result of a request. It has succeeded if `failure` is null. */
export interface PostOutcome {
  /** Status of the response; null if there was none. */
  readonly status: number | null;
  /** A sentence that says what was wrong. */
  readonly failure: string | null;
  /** Milliseconds until the response. */
  readonly milliseconds: number;
}

export interface Outgoing {
  /** Never rejects. */
  post(request: OutgoingPost): Promise<PostOutcome>;
  /** Returns why no request is ever sent to this URL; null if its address is a name, or may be used. */
  problemOf(url: string): RuleMessage | null;
}

/** Returns why requests are not sent to an IP address, as a predicate of its name; null if they are. */
export type AddressProblem = (address: string, isEncrypted: boolean) => RuleMessage | null;

/** Global unicast addresses of IPv6. Others may lead to IPv4 addresses of the network of the server. */
const GLOBAL = ipaddr.parseCIDR('2000::/3');

/** Allows public addresses with TLS, and all in `networks`, for example `10.0.0.0/8`, with or without it. */
export function addressProblemOf(networks: readonly string[]): AddressProblem {
  const allowed = networks.map((network) => {
    const [address = '', bits] = network.split('/');
    return ipaddr.parseCIDR(`${address}/${bits ?? (isIP(address) === 4 ? 32 : 128)}`);
  });
  return (address, isEncrypted) => {
    // IPv4 addresses that are mapped into IPv6 become IPv4 addresses.
    const ip = ipaddr.process(address);
    if (allowed.some((network) => network[0].kind() === ip.kind() && ip.match(network))) return null;
    const isPublic = ip.range() === 'unicast' && (ip.kind() === 'ipv4' || ip.match(GLOBAL));
    if (!isPublic) return 'has an address that is not public, and not in WEBHOOK_NETWORKS';
    return isEncrypted ? null : 'has a public address: use https';
  };
}
