import type { Clock } from '../clock.js';
import { clientNetwork, widerNetworks } from '../network.js';
import {
  BoundedWindowStore,
  type NamedLimits,
  type WindowCount,
  type WindowStore,
  type WindowStores,
} from './window-store.js';

/** What the clients of a network have used of their limit. */
export interface Usage {
  readonly remaining: number;
  /** The limit is used up: the next event is over it. */
  readonly isFull: boolean;
  readonly isOver: boolean;
  /** Until the window ends. */
  readonly msLeft: number;
}

/** Counts events by the network of a client, and by the wider networks around it (contract 14). */
export interface NetworkCounter {
  /** The strictest of the limits that one more event is counted against. */
  count(address: string): Promise<Usage>;
  read(address: string): Promise<Usage>;
  /** Shares what was counted with other nodes, and reads what they counted: see `WindowStores.exchange`. */
  exchange(address: string): Promise<void>;
}

export interface CounterLimits {
  /** Of what is counted, for example `sign-in`. */
  readonly name: string;
  /** Events of one client in a window that are within the limit. */
  readonly points: number;
  readonly windowMs: number;
}

/** How many clients' limits a /48 and a /32 have: fewer would hold back the customers of a whole provider. */
const CLIENTS = [64, 4_096];

/** In each of the three stores; about 10 MB. */
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
      // What is refused is counted no further, so that a client over its limit uses up nothing of its neighbours'.
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

/** Stores of this node alone. */
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

/** The first of those with the least left. */
function strictest(usages: readonly Usage[]): Usage {
  return usages.reduce((least, usage) => (isStricter(usage, least) ? usage : least), NOTHING_USED);
}

const isStricter = (one: Usage, other: Usage): boolean =>
  one.isOver !== other.isOver ? one.isOver : one.remaining < other.remaining;
