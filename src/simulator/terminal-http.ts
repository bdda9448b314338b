import { z } from 'zod';

import { SECOND } from '../platform/clock.js';
import type { Random } from '../platform/random.js';
import * as http from './http-client.js';
import type { Shared } from './shared.js';

/** A terminal as requests name it. */
export interface Identity {
  readonly serialNumber: string;
  /** Token of the device, which may renew it; or of a gateway, whose requests then name the terminal. */
  token: string;
  readonly isNamed: boolean;
  /** Last report of the terminal, if known. The simulator sends it again with another battery level. */
  readonly reported?: Reported;
}

export interface Reported {
  readonly frameworkVersion: string | null;
  readonly meta: Readonly<Record<string, string>>;
}

const NewToken = z.object({ token: z.string() });

/** The run ended while the terminal waited for another attempt. */
export class RunIsOver extends Error {}

const FIRST_PAUSE_MS = SECOND / 2;
const LONGEST_PAUSE_MS = 30 * SECOND;
/** Delay before a terminal that may not use the service tries again, until activities end. */
const REFUSED_MS = 30 * SECOND;

/** Sends requests of one terminal, repeated until they succeed: with a status below 400, or 404. */
export class TerminalHttp {
  #failures = 0;
  #hasRenewed = false;

  constructor(
    private readonly identity: Identity,
    private readonly shared: Pick<Shared, 'client' | 'stats' | 'work' | 'all'>,
    private readonly random: Random,
  ) {}

  /** Number of failed attempts after which it is not known whether the server carried them out. */
  get failures(): number {
    return this.#failures;
  }

  /** Repeats the request until it succeeds; waits as long as `Retry-After` says. Errors: `RunIsOver`. */
  async ask(ask: http.Ask): Promise<http.Reply> {
    return await this.#repeat(() => this.shared.client.ask(this.#signed(ask)));
  }

  /** Sends JSON unless `more` has another type; see `ask`. */
  async post(path: string, body: string, more: Partial<http.Ask> = {}): Promise<http.Reply> {
    const headers = { 'content-type': 'application/json' };
    return await this.ask({ method: 'POST', path, headers, body, ...more });
  }

  /** Opens a response that continues, for example an event stream. Retries and errors as for `ask`. */
  async open(ask: http.Ask): Promise<http.OpenAnswer> {
    return await this.#repeat(async () => {
      const answer = await this.shared.client.open(this.#signed(ask));
      if (answer.status !== 200) answer.stream.resume();
      return answer;
    });
  }

  /** Replaces the token of the device. If the answer is lost, the terminal goes on with the old one. */
  async renewToken(isLost: boolean): Promise<void> {
    const more = isLost ? { cutAfter: 0 } : {};
    const reply = await this.ask({ method: 'POST', path: '/terminal/v1/token', ...more });
    this.#hasRenewed = true;
    if (reply.isCut) {
      this.shared.stats.count('connections_lost');
      return;
    }
    this.identity.token = http.parsed(NewToken, reply).token;
    this.shared.stats.count('tokens_renewed');
  }

  #signed(ask: http.Ask): http.Ask {
    const { serialNumber, token, isNamed } = this.identity;
    const headers = {
      authorization: `Bearer ${token}`,
      // Node writes header values as Latin-1; this sends the UTF-8 bytes of the serial number.
      ...(isNamed && { 'x-serial-number': Buffer.from(serialNumber).toString('latin1') }),
    };
    return { ...ask, headers: { ...headers, ...ask.headers } };
  }

  async #repeat<T extends http.Answer>(attempt: () => Promise<T>): Promise<T> {
    const { stats, all } = this.shared;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      if (all.hasEnded()) throw new RunIsOver();
      const { token, serialNumber } = this.identity;
      try {
        const answer = await attempt();
        const { status, headers } = answer;
        if (status < 400 || status === 404) return answer;
        if (status === 401) {
          // Another request has renewed the token meanwhile, and the old one has ended.
          if (token !== this.identity.token) continue;
          if (this.#hasRenewed) stats.broke('lost_token', `terminal ${serialNumber}: …${token.slice(-4)}`);
        }
        await this.#pauseAfter(status, Number(headers['retry-after'] ?? 0) * SECOND, pause);
      } catch (error) {
        if (!(error instanceof http.NoAnswer)) throw error;
        if (all.hasEnded()) throw new RunIsOver();
        this.#failures += 1;
        if (error instanceof http.StaleConnection) continue;
        stats.error(error.message);
        await this.#pause(pause);
      }
    }
  }

  async #pauseAfter(status: number, retryAfterMs: number, pause: number): Promise<void> {
    const { stats } = this.shared;
    if (retryAfterMs > 0) {
      stats.count('throttled');
      await this.#pause(retryAfterMs, retryAfterMs);
    } else if (status === 401 || status === 403) {
      stats.count('refused');
      await this.shared.work.pause(REFUSED_MS);
      // The run has ended: no notification can arrive any more.
      if (this.shared.work.hasEnded()) throw new RunIsOver();
    } else {
      this.#failures += 1;
      stats.error(`status ${status}`);
      await this.#pause(pause);
    }
  }

  /** Waits for a random time of `least` or more, so that terminals refused together return one by one. */
  async #pause(ms: number, least = ms / 2): Promise<void> {
    await this.shared.all.pause(least + (this.random.whole(0, 1_000) / 1_000) * (ms / 2));
  }
}

export interface TerminalParts {
  readonly shared: Shared;
  readonly serialNumber: string;
  readonly http: TerminalHttp;
  readonly random: Random;
}
