/** Requests to addresses that users have given, such as those of webhooks. */
import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';

import { type BrokenRule, rule } from './rules.js';

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
  /** Returns why no request is ever sent to this URL; null if it may be used, as far as its text says. */
  problemOf(url: string): BrokenRule | null;
}

/** Returns why requests are not sent to a port of an IP address, as a predicate of its name; null if they are. */
export type AddressProblem = (address: string, isEncrypted: boolean, port: number) => BrokenRule | null;

const WEB_PORTS: readonly number[] = [80, 443];
const WRONG_PORT = rule('has a port of another service: use 443, or one from 1024 on');

/** Returns why requests are sent to a port of no address: mail servers and the like also answer to HTTP. */
export const portProblemOf = (port: number): BrokenRule | null =>
  port < 1024 && !WEB_PORTS.includes(port) ? WRONG_PORT : null;

/** Global unicast addresses of IPv6. Others may lead to IPv4 addresses of the network of the server. */
const GLOBAL = ipaddr.parseCIDR('2000::/3');

/** Allows public addresses with TLS, but not on port 80, and all in `networks`, for example `10.0.0.0/8`. */
export function addressProblemOf(networks: readonly string[]): AddressProblem {
  const allowed = networks.map((network) => {
    const [address = '', bits] = network.split('/');
    return ipaddr.parseCIDR(`${address}/${bits ?? (isIP(address) === 4 ? 32 : 128)}`);
  });
  return (address, isEncrypted, port) => {
    // IPv4 addresses that are mapped into IPv6 become IPv4 addresses.
    const ip = ipaddr.process(address);
    if (allowed.some((network) => network[0].kind() === ip.kind() && ip.match(network))) return null;
    const isPublic = ip.range() === 'unicast' && (ip.kind() === 'ipv4' || ip.match(GLOBAL));
    if (!isPublic) return rule('has an address that is not public, and not in WEBHOOK_NETWORKS');
    if (!isEncrypted) return rule('has a public address: use https');
    return port === 80 ? WRONG_PORT : null;
  };
}
