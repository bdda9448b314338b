import { isDeepStrictEqual } from 'node:util';

import { inCompany } from '../../../database/company/company-rows.js';
import type { Units } from '../../../database/work.js';
import { systemClock, SECOND, type Clock } from '../../../platform/clock.js';
import type { DispatchRate } from '../../../platform/concurrency/dispatch-rate.js';
import { inParts, yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { Queue, type Place } from '../../../platform/concurrency/semaphore.js';
import { DomainError } from '../../../platform/errors.js';
import * as deliveries from './delivery-list.repository.js';
import type { DeliveryCheck } from './dispatch.service.js';
import { DELIVERY } from './notification.model.js';

const CHANGES_PER_READ = 500;
const REQUESTS_PER_STATEMENT = 1_000;
/** Commits within this time are handled together. */
const COLLECT_MS = 20;
/** Maximum waiting requests of one node. */
export const MAX_WAITING = 20_000;
/** Interval of checks for unreported events: changes by other processes, and leases that end. */
export const TICK_MS = SECOND / 2;
/** Number of ticks between two checks whether the waiting terminals may still use the service. */
export const TICKS_PER_CHECK = 4;

/** Why a wait ended: there may be a delivery, the token must be checked, or the time is over. */
type Reason = 'woken' | 'checked' | 'over';

/** A request of a terminal that waits on this node, until `leave` is called. */
export class WaitingRequest {
  /** True if the terminal must still check its token, because another terminal of its gateway was refused. */
  mayBeRevoked = false;
  #reason: 'woken' | 'checked' | null = null;
  /** Position of the latest change that woke it; `Infinity` if it was woken for another reason. */
  #wokenBy = 0;
  #resolve: (() => void) | null = null;
  readonly #place: Place<WaitingRequest>;

  constructor(
    private readonly company: CompanyRequests,
    private readonly pace: DispatchRate,
    private readonly onLeave: () => void,
    public lastCheck: DeliveryCheck,
  ) {
    this.#place = company.all.add(this);
    company.readFrom(lastCheck.position);
  }

  /** Call after each check. Later changes than the check's position wake the terminal. */
  found(check: DeliveryCheck): void {
    this.lastCheck = check;
    this.mayBeRevoked = false;
    if (this.#reason === 'woken' && this.#wokenBy <= check.position) this.#reason = null;
    this.company.readFrom(check.position);
  }

  /** Call when the token was refused: other terminals with the same gateway token check it too. */
  refused(): void {
    const { tokenId } = this.lastCheck;
    // A terminal that checks because of another one does not notify the others again.
    if (tokenId === null || this.mayBeRevoked) return;
    for (const { value: other } of this.company.all.places()) {
      if (other.lastCheck.tokenId !== tokenId) continue;
      other.mayBeRevoked = true;
      other.wake('checked');
    }
  }

  leave(): void {
    if (this.company.all.remove(this.#place)) this.onLeave();
  }

  /** Ends the wait: there may be a delivery (`woken`), or the access may have ended (`checked`). */
  wake(reason: 'woken' | 'checked', position = Infinity): void {
    // `woken` replaces `checked`, since only `woken` is limited in rate.
    if (this.#reason !== 'woken') this.#reason = reason;
    this.#wokenBy = Math.max(this.#wokenBy, position);
    this.#resolve?.();
  }

  /** Resolves when the terminal must check again, after `ms`, or at the signal. Wakes are paced until `pacedMs` after the call. */
  async wait(ms: number, signal: AbortSignal, pacedMs = ms): Promise<Reason> {
    const began = systemClock.elapsed();
    if (this.#reason === null && ms > 0 && !signal.aborted) await this.#woken(ms, signal);
    const reason = this.#reason ?? 'over';
    this.#reason = null;
    this.#wokenBy = 0;
    if (reason === 'woken') {
      const left = Math.max(0, pacedMs - (systemClock.elapsed() - began));
      const ends = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(left))]);
      await this.pace.take(this.company.id, 1, ends);
    }
    return reason;
  }

  async #woken(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const end = (): void => resolve(undefined);
    this.#resolve = end;
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    await promise;
    this.#resolve = null;
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

/** The waiting requests of one company: what has changed is read once for all of them. */
class CompanyRequests {
  readonly all = new Queue<WaitingRequest>();
  /** Position of the latest change that was read; `Infinity` while changes are read. */
  position = Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isReadRequested = false;

  constructor(
    readonly id: number,
    private readonly units: Units,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Reads changes after this position, also if they were read before: the check of a terminal has not seen them. */
  readFrom(position: number): void {
    if (position >= this.position) return;
    this.position = position;
    this.readSoon();
  }

  /** Reads changes soon, in one read those of 20 ms. */
  readSoon(): void {
    this.#isReadRequested = true;
    this.#timer ??= setTimeout(() => void this.#readChanges(), COLLECT_MS).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Never rejects. What could not be read is read with the next request. */
  async #readChanges(): Promise<void> {
    try {
      while (await this.#readSome()) await yieldToEventLoop();
    } catch (error) {
      this.onError(error);
    }
    this.#timer = undefined;
    if (this.#isReadRequested && this.all.size > 0) this.readSoon();
  }

  /** Wakes terminals in whose lanes something has changed since their check. True if there may be more. */
  async #readSome(): Promise<boolean> {
    const after = this.position;
    let read = after;
    this.#isReadRequested = false;
    this.position = Infinity;
    try {
      const { last, changes } = await this.units.systemRead(async (work) => ({
        last: await deliveries.lastPosition(inCompany(work, this.id)),
        changes: await deliveries.selectQueueChanges(inCompany(work, this.id), after, CHANGES_PER_READ),
      }));
      const hasMore = changes.length === CHANGES_PER_READ;
      read = (hasMore ? changes.at(-1)?.position : undefined) ?? last;
      const latest = new Map(changes.map(({ lane, position }) => [lane, position]));
      for (const { value: request } of this.all.places()) {
        const { lanes, position: seen } = request.lastCheck;
        const position = Math.max(...lanes.map((lane) => latest.get(lane) ?? 0));
        if (position > seen) request.wake('woken', position);
      }
      return hasMore;
    } finally {
      // A check that ended meanwhile may have seen less.
      this.position = Math.min(this.position, read);
    }
  }

  /** Wakes requests that are due for another check; after a lease, only if a delivery waits. */
  async wakeDue(now: Date): Promise<void> {
    const ended: { readonly request: WaitingRequest; readonly check: DeliveryCheck }[] = [];
    for (const { value: request } of this.all.places()) {
      const { lastCheck: check } = request;
      if (check.againAt !== null && check.againAt <= now) request.wake('checked');
      if (check.heldUntil !== null && check.heldUntil <= now) ended.push({ request, check });
    }
    for await (const part of inParts(ended, REQUESTS_PER_STATEMENT)) {
      const lanes = new Set(part.flatMap(({ check }) => check.lanes));
      const open = await this.units.systemRead((work) =>
        deliveries.selectOpenLanes(inCompany(work, this.id), [...lanes]),
      );
      for (const { request, check } of part) {
        if (request.lastCheck === check) request.lastCheck = { ...check, heldUntil: null };
        if (check.lanes.some((lane) => open.has(lane))) request.wake('woken');
      }
    }
  }

  /** Wakes terminals whose device or token has changed, and one of each gateway. */
  async check(): Promise<void> {
    const requests = Array.from(this.all.places(), ({ value }) => value);
    const gateways = new Set<number>();
    for await (const part of inParts(requests, REQUESTS_PER_STATEMENT)) {
      const ids = new Set(part.map(({ lastCheck }) => lastCheck.facts.deviceId));
      const present = await this.units.systemRead((work) =>
        deliveries.selectFacts(inCompany(work, this.id), [...ids]),
      );
      for (const request of part) {
        const { tokenId, facts } = request.lastCheck;
        const isFirst = tokenId !== null && !gateways.has(tokenId);
        if (tokenId !== null) gateways.add(tokenId);
        if (isFirst || !isDeepStrictEqual(facts, present.get(facts.deviceId))) request.wake('checked');
      }
    }
  }
}

interface WaitingParts {
  readonly units: Units;
  readonly clock: Clock;
  readonly pace: DispatchRate;
  /** Called when a request begins to wait (1), and when one leaves (-1). */
  readonly onCount: (change: 1 | -1) => void;
  readonly onError: (error: unknown) => void;
}

/** The terminals that wait on this node, woken by commits. Unreported changes are read twice a second by company. */
export class WaitingTerminals {
  readonly #companies = new Map<number, CompanyRequests>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #ticking: Promise<void> | null = null;
  readonly #unsubscribe: () => void;

  constructor(private readonly parts: WaitingParts) {
    this.#unsubscribe = parts.units.onCommitted(
      (changes) => {
        if (changes === null) for (const company of this.#companies.values()) company.readSoon();
        for (const { companyId, entityType } of changes ?? []) {
          if (entityType === DELIVERY && companyId !== null) this.#companies.get(companyId)?.readSoon();
        }
      },
      [DELIVERY],
    );
  }

  /** `check` is that of the terminal, just before. Errors: `busy`. */
  enter(check: DeliveryCheck): WaitingRequest {
    if (this.#count >= MAX_WAITING) {
      const message = `Too many terminals wait at the same time: at most ${MAX_WAITING}.`;
      throw new DomainError('busy', message, { retryAfter: 5 });
    }
    const { units, pace, onError } = this.parts;
    const id = check.companyId;
    const company = this.#companies.get(id) ?? new CompanyRequests(id, units, onError);
    this.#companies.set(id, company);
    this.#add(1);
    this.#timer ??= setInterval(() => this.#startTick(), TICK_MS).unref();
    return new WaitingRequest(company, pace, () => this.#left(company), check);
  }

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

  /** A tick that takes long replaces the next ones. */
  #startTick(): void {
    if (this.#count === 0) return;
    this.#ticking ??= this.#tick()
      .catch(this.parts.onError)
      .finally(() => (this.#ticking = null));
  }

  async #tick(): Promise<void> {
    this.#ticks += 1;
    const companies = [...this.#companies.values()];
    const ids = companies.map(({ id }) => id);
    for (const company of companies) await company.wakeDue(this.parts.clock.now());
    const positions = await this.parts.units.systemRead((work) => deliveries.lastPositions(work, ids));
    for (const company of companies) {
      if ((positions.get(company.id) ?? 0) > company.position) company.readSoon();
    }
    if (this.#ticks % TICKS_PER_CHECK !== 0) return;
    for (const company of companies) await company.check();
  }
}
