import type { Units } from '../../../../database/work.js';
import { SECOND, type Clock } from '../../../../platform/clock.js';
import type { DispatchRate } from '../../../../platform/concurrency/dispatch-rate.js';
import { DomainError } from '../../../../platform/errors.js';
import { DELIVERY } from '../delivery/delivery.model.js';
import type { DeliveryCheck } from './batches.service.js';
import { CompanyRequests, WaitingRequest } from './waiting-request.service.js';
import { lastPositions } from './waiting.repository.js';

export type { WaitingRequest } from './waiting-request.service.js';

/** Maximum waiting requests of one node. */
export const MAX_WAITING = 20_000;
/** Interval of checks for unreported events: changes by other processes, and leases that end. */
export const TICK_MS = SECOND / 2;
/** Number of ticks between two checks whether the waiting terminals may still use the service. */
export const TICKS_PER_CHECK = 4;
const RETRY_SECONDS = 5;

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
  readonly #companies = new Map<number, CompanyRequests>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #ticking: Promise<void> | null = null;
  readonly #unsubscribe: () => void;

  constructor(private readonly parts: WaitingParts) {
    this.#unsubscribe = parts.units.onCommitted((changes) => {
      if (changes === null) for (const company of this.#companies.values()) company.readSoon();
      for (const { companyId, entityType } of changes ?? []) {
        if (entityType === DELIVERY && companyId !== null) this.#companies.get(companyId)?.readSoon();
      }
    });
  }

  /** `check` is that of the terminal, just before. Errors: `busy`. */
  enter(check: DeliveryCheck): WaitingRequest {
    if (this.#count >= MAX_WAITING) {
      const message = `Too many terminals wait at the same time: at most ${MAX_WAITING}.`;
      throw new DomainError('busy', message, { retryAfter: RETRY_SECONDS });
    }
    const { units, pace, onError } = this.parts;
    const { companyId } = check;
    const company = this.#companies.get(companyId) ?? new CompanyRequests(companyId, units, onError);
    this.#companies.set(companyId, company);
    this.#add(1);
    this.#timer ??= setInterval(() => this.#startTick(), TICK_MS).unref();
    return new WaitingRequest(company, pace, () => this.#left(company), check);
  }

  /** Resolves when no statement runs any more. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    clearInterval(this.#timer);
    for (const company of this.#companies.values()) company.stop();
    await this.#ticking;
  }

  #add(change: 1 | -1): void {
    this.#count += change;
    this.parts.onCount(change);
  }

  #left(company: CompanyRequests): void {
    this.#add(-1);
    if (company.all.size > 0) return;
    company.stop();
    this.#companies.delete(company.id);
  }

  /** Ticks follow one after the other: one that takes long makes others fall out. */
  #startTick(): void {
    if (this.#count === 0) return;
    this.#ticking ??= this.#tick()
      .catch(this.parts.onError)
      .finally(() => (this.#ticking = null));
  }

  async #tick(): Promise<void> {
    const { units, clock } = this.parts;
    this.#ticks += 1;
    const now = clock.now();
    const companies = [...this.#companies.values()];
    for (const company of companies) await company.wakeDue(now);
    const ids = companies.map(({ id }) => id);
    const positions = await units.systemRead((work) => lastPositions(work, ids));
    for (const company of companies) {
      if ((positions.get(company.id) ?? 0) > company.position) company.readSoon();
    }
    if (this.#ticks % TICKS_PER_CHECK !== 0) return;
    for (const company of companies) await company.check();
  }
}
