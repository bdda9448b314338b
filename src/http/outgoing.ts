import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

import { SECOND, systemClock } from '../platform/clock.js';
import * as outgoing from '../platform/outgoing.js';
import type { BrokenRule } from '../platform/rules.js';

/** Time for a whole request with its response. */
const TIMEOUT_MS = 10 * SECOND;
/** Bytes of a response that are read, and dropped; then the connection is closed. */
const MAX_RESPONSE_BYTES = 16 * 1024;
const ADVICE =
  'check its name, port and certificate, and whether its address is public or in WEBHOOK_NETWORKS.';
const RESOLVER = { timeout: 3 * SECOND, tries: 2 };

/** IP addresses of a name; empty if there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/**
 * Sends requests to addresses that users have given. The addresses that are checked are those to which the socket is
 * connected; redirects are failures, so none is followed.
 */
export class OutgoingRequests implements outgoing.Outgoing {
  readonly #problemOfAddress: outgoing.AddressProblem;

  /** `networks` are allowed besides public addresses, for example `10.0.0.0/8`. */
  constructor(
    networks: readonly string[],
    private readonly resolve: Resolve = resolveName,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {
    this.#problemOfAddress = outgoing.addressProblemOf(networks);
  }

  problemOf(url: string): BrokenRule | null {
    const { host, isEncrypted, port } = partsOf(url);
    const problem = outgoing.portProblemOf(port);
    return problem ?? (isIP(host) === 0 ? null : this.#problemOfAddress(host, isEncrypted, port));
  }

  async post(request: outgoing.OutgoingPost): Promise<outgoing.PostOutcome> {
    const since = systemClock.elapsed();
    const timeout = AbortSignal.timeout(this.timeoutMs);
    // One text for all reasons: they would tell which names and ports exist in the network of the server.
    const failure = `There was no response within ${this.timeoutMs / SECOND} s: ${ADVICE}`;
    const outcome = await this.#send(request, timeout).then(
      (status) => ({ status, failure: failureOf(status) }),
      () => ({ status: null, failure }),
    );
    return { ...outcome, milliseconds: Math.round(systemClock.elapsed() - since) };
  }

  /** Status of the response, of which a bounded part is read. Each request has a connection of its own. */
  async #send({ url, headers, body, signal }: outgoing.OutgoingPost, timeout: AbortSignal): Promise<number> {
    const parts = partsOf(url);
    const { isEncrypted } = parts;
    // Node looks up no address that is in the URL.
    const problem = this.problemOf(url);
    if (problem !== null) throw new Error(problem.message);
    const options = {
      method: 'POST',
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      agent: false,
      lookup: this.#lookup(parts),
      autoSelectFamily: true,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    } as const;
    const request = isEncrypted ? httpsRequest(url, options) : httpRequest(url, options);
    // Errors after the beginning of the response end the loop below.
    request.on('error', () => undefined);
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let size = 0;
    for await (const { length } of response as AsyncIterable<Buffer>) {
      size += length;
      if (size > MAX_RESPONSE_BYTES) break;
    }
    return response.statusCode ?? 0;
  }

  /** Looks up all addresses for a socket, as it asks with `autoSelectFamily`. */
  #lookup(parts: Parts): LookupFunction {
    return (host, _options, callback) => {
      const found = this.#addressesOf(host, parts);
      found.then(
        (addresses) => callback(null, addresses),
        (error: unknown) => callback(error as Error, ''),
      );
    };
  }

  async #addressesOf(host: string, { isEncrypted, port }: Parts): Promise<Address[]> {
    const addresses = await this.resolve(host);
    if (addresses.length === 0) throw new Error('DNS does not know the name');
    for (const address of addresses) {
      const problem = this.#problemOfAddress(address, isEncrypted, port);
      if (problem !== null) throw new Error(problem.message);
    }
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }
}

interface Address {
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

interface Parts {
  readonly host: string;
  readonly isEncrypted: boolean;
  readonly port: number;
}

function partsOf(url: string): Parts {
  const { hostname, protocol, port } = new URL(url);
  const isEncrypted = protocol === 'https:';
  const ownPort = isEncrypted ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), isEncrypted, port: Number(port || ownPort) };
}

/** Null for a status of success. */
function failureOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  const isRedirect = status >= 300 && status < 400;
  return `The response was ${status}${isRedirect ? ', a redirect, and none is followed' : ''}.`;
}

/** Asks the name servers, not in the threads of Node: slow names of one company must not delay the files of others. */
async function resolveName(name: string): Promise<readonly string[]> {
  if (name === 'localhost') return ['127.0.0.1'];
  const resolver = new Resolver(RESOLVER);
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}
