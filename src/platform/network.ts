import ipaddr from 'ipaddr.js';

const MAX_KNOWN = 1_000;

/** Caches the results of a function: most requests come from few addresses. */
function remembering<T>(of: (address: string) => T): (address: string) => T {
  const known = new Map<string, T>();
  return (address) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    const result = of(address);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(address, result);
    return result;
  };
}

/**
 * An IP address in its canonical form: `::ffff:203.0.113.7` becomes the IPv4 address. Null for other text,
 * for example from a header.
 */
export const normalAddress = remembering((text) =>
  ipaddr.isValid(text) ? ipaddr.process(text).toString() : null,
);

/**
 * Key under which limits count a client: an IPv4 address, or the /64 network of an IPv6 address (contract
 * 14). Text that is not an address is returned as it is.
 */
export const clientNetwork = remembering((address) => {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join('.')}/64`;
});

/** The /48 and the /32 network of an IPv6 address; empty for other text. */
export function widerNetworks(address: string): readonly string[] {
  if (!ipaddr.isValid(address)) return [];
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return [];
  const bytes = parsed.toByteArray();
  return [`${bytes.slice(0, 6).join('.')}/48`, `${bytes.slice(0, 4).join('.')}/32`];
}
