import ipaddr from 'ipaddr.js';

/**
 * Key under which limits count a client: an IPv4 address, or the /64 network of an IPv6 address (contract 14).
 * Text that is not an address is returned as it is.
 */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join('.')}/64`;
}

/** The /48 and the /32 of an IPv6 address; nothing for any other. */
export function widerNetworks(address: string): readonly string[] {
  if (!ipaddr.isValid(address)) return [];
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return [];
  const bytes = parsed.toByteArray();
  return [`${bytes.slice(0, 6).join('.')}/48`, `${bytes.slice(0, 4).join('.')}/32`];
}
