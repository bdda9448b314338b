import type { Clock } from '../platform/clock.js';
import type { Random } from '../platform/random.js';
import type { HttpClient } from './http-client.js';
import type { Stats, SentNotifications } from './stats.js';

/** An asset as the manifest lists it. Applications have a version, files have none. */
export interface ListedAsset {
  readonly name: string;
  readonly size: number;
  readonly crc: string;
  readonly sha256: string;
  readonly version?: string;
}

/** Name of an application without the prefix of the company, which ends at the first underscore. */
export const appNameOf = ({ name }: ListedAsset): string => name.replace(/^[^_]*_/, '');

/**
 * Terminals that fail to install a version, three times, and report so; that report late; get fewer payments approved under
 * it; report the CRC of other bytes; or report it as installed without a download.
 */
export const BEHAVIOURS = ['fails', 'late', 'sellsLess', 'wrongCrc', 'pretends'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** Terminals that report a command as failed or refused, or do it later; `seconds` is how long each waits before that. */
export const COMMAND_BEHAVIOURS = ['fails', 'refuses', 'late'] as const;
export interface CommandFault {
  readonly behaviour?: (typeof COMMAND_BEHAVIOURS)[number];
  readonly seconds?: number | undefined;
}

/** Some of the texts at random, `share` rounded up. */
export function drawSome(random: Random, from: readonly string[], share: number): readonly string[] {
  const free = [...from];
  const drawn: string[] = [];
  for (let left = Math.ceil(share); left > 0 && free.length > 0; left -= 1)
    drawn.push(...free.splice(random.whole(0, free.length - 1), 1));
  return drawn;
}

/** Pauses that all end together. An AbortSignal would make an error for each: 0.2 s for 5,000, not 0.02 s. */
export class Pauses {
  readonly #open = new Map<NodeJS.Timeout, () => void>();
  #isOver = false;

  hasEnded(): boolean {
    return this.#isOver;
  }

  /** Resolves after `ms`, or at the end. */
  async pause(ms: number): Promise<void> {
    if (this.#isOver) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(resolve, ms, undefined);
    this.#open.set(timer, () => resolve(undefined));
    await promise;
    this.#open.delete(timer);
  }

  end(): void {
    this.#isOver = true;
    for (const [timer, resolve] of this.#open) {
      clearTimeout(timer);
      resolve();
    }
  }
}

export interface BrokerOptions {
  /** `mqtt://host:1883` or `mqtts://host:8883`. */
  readonly url: URL;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Trusted certificates (PEM); undefined for those of Node. */
  readonly ca: string | undefined;
}

/** How terminals wait for notifications; over HTTP, each terminal chooses one of two ways. */
export type Transport =
  | { readonly over: 'http' }
  | { readonly over: 'mqtt'; readonly broker: BrokerOptions; readonly companyId: string };

/** State shared by all terminals of a run. */
export interface Shared {
  readonly client: HttpClient;
  readonly stats: Stats;
  readonly sent: SentNotifications;
  readonly clock: Clock;
  /** Hexadecimal digits unique to the run; part of references and messages. */
  readonly run: string;
  /** Pauses until activities of terminals end; afterwards they only wait and confirm. */
  readonly work: Pauses;
  /** Pauses until the run ends. */
  readonly all: Pauses;
  readonly transport: Transport;
  /** Simulates faults: lost connections and answers, repeated and late confirmations. */
  readonly hasFaults: boolean;
  /** Average time between activities of a terminal, in milliseconds; 0 if it only waits for notifications. */
  readonly everyMs: number;
  /** Average time between renewals of a terminal's own token, in milliseconds; null if it keeps its token. */
  readonly renewEveryMs: number | null;
  /** Versions that some terminals take wrongly; null if all behave well. */
  readonly scenario: {
    isAbout(app: ListedAsset): boolean;
    /** Null for a terminal that behaves well. Waits until the terminals have been chosen. */
    behaviourOf(serialNumber: string): Promise<Behaviour | null>;
  } | null;
  /** Faults with commands by serial numbers; null if some fail and are late at random. */
  readonly commandFaults: ReadonlyMap<string, CommandFault> | null;
}
