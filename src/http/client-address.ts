import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/**
 * The client's IP address: the one a trusted proxy reports, else the socket's. An IPv4-mapped IPv6 address
 * (`::ffff:203.0.113.7`) becomes the IPv4 address; `unknown` if neither is an IP address.
 */
export function clientAddress(request: Request): string {
  for (const candidate of [request.ip, request.socket.remoteAddress]) {
    if (candidate !== undefined && ipaddr.isValid(candidate)) return ipaddr.process(candidate).toString();
  }
  return 'unknown';
}
