import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** Headers that proxies add. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/**
 * Whether the request was made on this machine, for a name of this machine, and came without a proxy. The name is
 * checked since a page of another site can let its own name resolve to this machine (DNS rebinding).
 */
export function isLoopbackRequest({ socket, headers, hostname }: Request): boolean {
  if (PROXY_HEADERS.some((name) => headers[name] !== undefined)) return false;
  return isLoopbackAddress(socket.remoteAddress) && isLoopbackName(hostname);
}

function isLoopbackName(name: string | undefined): boolean {
  return name === 'localhost' || isLoopbackAddress(name?.replace(/^\[(.*)\]$/, '$1'));
}

function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  return ipaddr.process(address).range() === 'loopback';
}
