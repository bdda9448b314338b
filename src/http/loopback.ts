import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

import { headerOf } from './headers.js';

/** Headers that proxies add. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'] as const;

/**
 * Whether the request was made on this machine, for a name of this machine, and came without a proxy. The name is
 * checked since a page of another site can let its own name resolve to this machine (DNS rebinding).
 */
export function isLoopbackRequest(request: Request): boolean {
  if (PROXY_HEADERS.some((name) => headerOf(request, name) !== undefined)) return false;
  const { socket, hostname } = request;
  return isLoopbackAddress(socket.remoteAddress) && isLoopbackName(hostname);
}

function isLoopbackName(name: string | undefined): boolean {
  return name === 'localhost' || isLoopbackAddress(name?.replace(/^\[(.*)\]$/, '$1'));
}

function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  return ipaddr.process(address).range() === 'loopback';
}
