import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/**
 * The client's address: the socket's, or what a trusted proxy says. An IPv4 address in IPv6 clothes counts
 * as itself; what is no address falls back to the socket's.
 */
export function clientAddress(request: Request): string {
  for (const candidate of [request.ip, request.socket.remoteAddress]) {
    if (candidate !== undefined && ipaddr.isValid(candidate)) return ipaddr.process(candidate).toString();
  }
  return 'unknown';
}
