import type { Clock } from '../clock.js';
import { clientNetwork, widerNetworks } from '../network.js';
import {
  BoundedWindowStore,
  type NamedLimits,
  type WindowCount,
  type WindowStore,
  type WindowStores,
} from './window-store.js';

/** Usage of the limit of a network. */
export interface Usage {
  readonly remaining: number;
  /** Whether the limit is used up: the next event exceeds it. */
  readonly isFull: boolean;
  readonly isOver: boolean;
  /** Milliseconds until the window ends. */
  readonly msLeft: number;
}

/** Counts events by the network of a client, and by the wider networks around it (contract 14). */
export interface NetworkCounter {
  /** Counts one event. Resolves to the usage of the strictest limit. */
  count(address: string): Promise<Usage>;
  read(address: string): Promise<Usage>;
  /** Shares counts with other nodes and reads theirs: see `WindowStores.exchange`. */
  exchange(address: string): Promise<void>;
}

export interface CounterLimits {
  /** Name of the counted event, for example `sign-in`. */
  readonly name: string;
  /** Maximum events of one client in a window. */
  readonly points: number;
  readonly windowMs: number;
}

/**
 * Limits of a /48 and a /32 network, as multiples of one client's limit. Lower ones would affect all
 * customers of a provider.
 */
const CLIENTS = [64, 4_096];

/** Maximum keys in each of the three stores; about 10 MB. */
const MAX_KEYS = 50_000;

const NOTHING_USED: Usage = { remaining: Infinity, isFull: false, isOver: false, msLeft: 0 };

export function createNetworkCounter(
  { name, points, windowMs }: CounterLimits,
  stores: WindowStores,
): NetworkCounter {
  const limitOf = (clients: number): Limit => {
    const limits = { name: `${name} ${clients}`, points: points * clients, windowMs, maxKeys: MAX_KEYS };
    return { ...limits, store: stores.open(limits) };
  };
  const own = limitOf(1);
  const wider = CLIENTS.map(limitOf);
  const ofWider = async (address: string, use: (limit: Limit, network: string) => Promise<Usage>) => {
    const networks = widerNetworks(address);
    const used = wider.flatMap((limit, n) => (networks[n] === undefined ? [] : [use(limit, networks[n])]));
    return strictest(await Promise.all(used));
  };
  return {
    read: async (address) =>
      strictest([await read(own, clientNetwork(address)), await ofWider(address, read)]),
    count: async (address) => {
      // An event that one limit refuses is not counted against others, so that a client over its limit does
      // not use up the limits of its neighbours.
      const around = await ofWider(address, read);
      if (around.isFull) return { ...around, isOver: true };
      const usage = await count(own, clientNetwork(address));
      return usage.isOver ? usage : strictest([usage, await ofWider(address, count)]);
    },
    exchange: async (address) => {
      const networks = [clientNetwork(address), ...widerNetworks(address)];
      const limits = [own, ...wider].slice(0, networks.length);
      await stores.exchange(limits.map((limit, n) => ({ name: limit.name, key: networks[n] ?? '' })));
    },
  };
}

/** Stores in the memory of this node only. */
export function inMemory(clock: Clock): WindowStores {
  return {
    open: (limits) => new BoundedWindowStore(limits, clock),
    exchange: () => Promise.resolve(),
  };
}

interface Limit extends NamedLimits {
  readonly store: WindowStore;
}

async function count({ points, store }: Limit, network: string): Promise<Usage> {
  return usageOf(points, await store.penalty(network));
}

async function read({ points, store }: Limit, network: string): Promise<Usage> {
  const state = await store.get(network);
  return state === null || state.msBeforeNext <= 0 ? NOTHING_USED : usageOf(points, state);
}

function usageOf(points: number, { consumedPoints, msBeforeNext }: WindowCount): Usage {
  return {
    remaining: Math.max(0, points - consumedPoints),
    isFull: consumedPoints >= points,
    isOver: consumedPoints > points,
    msLeft: msBeforeNext,
  };
}

/** The first of the usages with the least remaining. */
function strictest(usages: readonly Usage[]): Usage {
  return usages.reduce((least, usage) => (isStricter(usage, least) ? usage : least), NOTHING_USED);
}

const isStricter = (one: Usage, other: Usage): boolean =>
  one.isOver !== other.isOver ? one.isOver : one.remaining < other.remaining;
