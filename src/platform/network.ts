import ipaddr from 'ipaddr.js';

/** Whom a limit counts together: an IPv4 address, or the /64 network of an IPv6 one (contract 14). */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join('.')}/64`;
}
