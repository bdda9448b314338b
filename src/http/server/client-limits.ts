import { BlockList, isIPv6 } from 'node:net';

import type { Clock } from '../../platform/clock.js';
import { Slots } from '../../platform/limits/slots.js';
import { WaitingBytes } from '../../platform/limits/waiting-bytes.js';
import type { ClientFigures } from '../monitoring/metrics.js';
import type { ClientLimits } from '../request-context.js';
import { Connections, IDLE_RULE } from './connections.js';

/** The limits of all clients of one server. */
export interface ServerLimits extends ClientLimits {
  readonly connections: Connections;
  readonly figures: () => ClientFigures;
}

interface LimitOptions {
  /** Addresses and networks of proxies. */
  readonly trustProxy: readonly string[];
  readonly idleMs: number;
  readonly clock: Clock;
}

export function createClientLimits({ trustProxy, idleMs, clock }: LimitOptions): ServerLimits {
  const slots = new Slots();
  const waiting = new WaitingBytes();
  const rule = { ...IDLE_RULE, idleMs };
  const connections = new Connections(slots, rule, addressesIn(trustProxy), clock);
  const figures = (): ClientFigures => ({
    waitingBytes: waiting.bytes,
    connections: connections.count,
    cut: connections.cut,
    refused: new Map([...slots.refused, ['waiting_bytes', waiting.refused]]),
  });
  return { slots, waiting, connections, figures };
}

/** Whether an address is one of these, or in one of these networks. */
function addressesIn(list: readonly string[]): (address: string) => boolean {
  const known = new BlockList();
  for (const entry of list) {
    const [address = '', prefix] = entry.split('/');
    const family = familyOf(address);
    if (prefix === undefined) known.addAddress(address, family);
    else known.addSubnet(address, Number(prefix), family);
  }
  return (address) => known.check(address, familyOf(address));
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');
