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

/** Whom a limit counts together: an IPv4 address, or the /64 network of an IPv6 one (decision 14). */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join('.')}/64`;
}
