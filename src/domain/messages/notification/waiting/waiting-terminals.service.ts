import type { Units } from '../../../../database/work.js';
import { SECOND, systemClock, type Clock } from '../../../../platform/clock.js';
import type { DispatchRate } from '../../../../platform/concurrency/dispatch-rate.js';
import { DomainError } from '../../../../platform/errors.js';
import { DELIVERY } from '../delivery/dispatch.service.js';
import { CompanyLongPolls } from './company-long-polls.service.js';
import type { DeliveryCheck } from './delivery-check.service.js';
import { LongPoll, type Reason } from './long-poll.service.js';
import { lastPositions } from './waiting.repository.js';

/** Maximum waiting requests of one node. */
export const MAX_WAITING = 20_000;
/** Interval of checks for unreported events: changes by other processes, and leases that end. */
export const TICK_MS = SECOND / 2;
/** Number of ticks between two checks whether the waiting terminals may still use the service. */
export const TICKS_PER_CHECK = 4;
/** Commits within this time are handled together. */
const COLLECT_MS = 20;
const RETRY_SECONDS = 5;

interface Company {
  readonly longPolls: CompanyLongPolls;
  timer: NodeJS.Timeout | undefined;
}

/** Waiting request of a terminal, until `leave` is called. */
export interface WaitingRequest {
  found(lastCheck: DeliveryCheck): void;
  /**
   * Resolves when the terminal must check again, or when the time is over. If there may be a delivery, it
   * also waits for the rate limit, at most until `pacedMs` after the call.
   */
  wait(ms: number, signal: AbortSignal, pacedMs?: number): Promise<Reason>;
  /** To be called when its token was refused: other terminals with the same gateway token check again too. */
  refused(): void;
  leave(): void;
}

export interface WaitingParts {
  readonly units: Units;
  readonly clock: Clock;
  readonly pace: DispatchRate;
  /** Called when a request begins to wait (1), and when one leaves (-1). */
  readonly onCount: (change: 1 | -1) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * The terminals that wait on this node. Commits wake them. Unreported changes are read twice a second, for
 * all terminals of a company together. A terminal that only waits costs no statement.
 */
export class WaitingTerminals {
  readonly #companies = new Map<number, Company>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #ticking = Promise.resolve();
  readonly #unsubscribe: () => void;

  constructor(private readonly parts: WaitingParts) {
    this.#unsubscribe = parts.units.onCommitted((changes) => {
      if (changes === null) for (const id of this.#companies.keys()) this.#schedule(id);
      for (const { companyId, entityType } of changes ?? []) {
        if (entityType === DELIVERY && companyId !== null) this.#schedule(companyId);
      }
    });
  }

  /** Errors: `busy`. */
  enter(companyId: number): WaitingRequest {
    if (this.#count >= MAX_WAITING) {
      const message = `Too many terminals wait at the same time: at most ${MAX_WAITING}.`;
      throw new DomainError('busy', message, { retryAfter: RETRY_SECONDS });
    }
    const { longPolls } = this.#companyOf(companyId);
    const longPoll = new LongPoll();
    const taken = longPolls.take(longPoll);
    this.#add(1);
    this.#startTicks();
    let isTaken = true;
    return {
      found: (lastCheck) => {
        if (longPolls.found(taken, lastCheck)) this.#schedule(companyId);
      },
      wait: async (ms, signal, pacedMs = ms) => {
        const began = systemClock.elapsed();
        const reason = await longPoll.wait(ms, signal);
        if (reason === 'woken') {
          const left = Math.max(0, pacedMs - (systemClock.elapsed() - began));
          const ends = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(left))]);
          await this.parts.pace.take(companyId, 1, ends);
        }
        return reason;
      },
      refused: () => {
        const tokenId = longPoll.lastCheck?.tokenId ?? null;
        // A terminal that checks because of another one does not notify the others again.
        if (tokenId !== null && !longPoll.mayBeRevoked) longPolls.checkGateway(tokenId);
      },
      leave: () => {
        if (!isTaken) return;
        isTaken = false;
        longPolls.leave(taken);
        this.#add(-1);
        if (longPolls.size === 0) this.#drop(companyId);
      },
    };
  }

  /** Resolves when no statement runs any more. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { timer } of this.#companies.values()) clearTimeout(timer);
    await this.#ticking;
  }

  #add(change: 1 | -1): void {
    this.#count += change;
    this.parts.onCount(change);
  }

  #companyOf(companyId: number): Company {
    const known = this.#companies.get(companyId);
    if (known !== undefined) return known;
    const { units } = this.parts;
    const made: Company = {
      ...{
        longPolls: new CompanyLongPolls(units, companyId),
        timer: undefined,
      },
    };
    this.#companies.set(companyId, made);
    return made;
  }

  #drop(companyId: number): void {
    clearTimeout(this.#companies.get(companyId)?.timer);
    this.#companies.delete(companyId);
  }

  #schedule(companyId: number): void {
    const company = this.#companies.get(companyId);
    if (company === undefined) return;
    company.timer ??= setTimeout(() => {
      company.timer = undefined;
      void company.longPolls.readChanges().catch(this.parts.onError);
    }, COLLECT_MS).unref();
  }

  #startTicks(): void {
    this.#timer ??= setTimeout(() => {
      this.#ticking = this.#tick()
        .catch(this.parts.onError)
        .finally(() => {
          if (this.#timer === undefined) return;
          this.#timer = undefined;
          if (this.#count > 0) this.#startTicks();
        });
    }, TICK_MS).unref();
  }

  async #tick(): Promise<void> {
    this.#ticks += 1;
    const now = this.parts.clock.now();
    for (const { longPolls } of this.#companies.values()) await longPolls.wakeDue(now);
    await this.#readUnreported();
    if (this.#ticks % TICKS_PER_CHECK === 0) await this.#check();
  }

  async #readUnreported(): Promise<void> {
    const { units } = this.parts;
    const waiting = [...this.#companies.keys()];
    if (waiting.length === 0) return;
    const positions = await units.systemRead((work) => lastPositions(work, waiting));
    for (const [companyId, position] of positions) {
      const known = this.#companies.get(companyId)?.longPolls.position ?? position;
      if (position > known) this.#schedule(companyId);
    }
  }

  async #check(): Promise<void> {
    for (const { longPolls } of this.#companies.values()) await longPolls.check();
  }
}
