import { inCompany } from '../../../../database/company/company-rows.js';
import type { Units } from '../../../../database/work.js';
import { yieldToEventLoop } from '../../../../platform/concurrency/event-loop.js';
import { Queue, type Place } from '../../../../platform/concurrency/queue.js';
import type { DeliveryCheck } from './delivery-check.service.js';
import type { LongPoll } from './long-poll.service.js';
import {
  lastPosition,
  selectFacts,
  selectOpenNumbers,
  selectQueueChanges,
  type TerminalFacts,
} from './waiting.repository.js';

/** Changes that one statement reads, and devices that one statement checks. */
const CHANGES_PER_LOOK = 500;
const DEVICES_PER_CHECK = 1_000;
/** Logical numbers of which one statement looks for deliveries that are not confirmed. */
const NUMBERS_PER_LOOK = 1_000;
/** Numbers whose latest change a company remembers, for terminals that looked shortly before it was read. */
const MAX_CHANGED = 20_000;

interface RegisteredPoll {
  readonly longPoll: LongPoll;
  readonly place: Place<LongPoll>;
  logicalNumberId: number | null;
  ofNumber: Place<LongPoll> | null;
}

/** The waiting terminals of one company: what has changed is read once for all of them. */
export class CompanyLongPolls {
  /** Changes up to this one are known; null before the first terminal has looked. */
  #position: number | null = null;
  readonly #all = new Queue<LongPoll>();
  readonly #ofNumbers = new Map<number, Queue<LongPoll>>();
  /**
   * The position of the latest change of each number that has changed after `#changedFrom`, in the order of
   * positions.
   */
  readonly #changed = new Map<number, number>();
  #changedFrom = 0;
  #isReading = false;
  #isAskedAgain = false;

  constructor(
    private readonly units: Units,
    private readonly companyId: number,
  ) {}

  get size(): number {
    return this.#all.size;
  }

  get position(): number | null {
    return this.#position;
  }

  take(longPoll: LongPoll): RegisteredPoll {
    return { longPoll, place: this.#all.add(longPoll), logicalNumberId: null, ofNumber: null };
  }

  leave(registered: RegisteredPoll): void {
    this.#all.remove(registered.place);
    this.#leaveNumber(registered);
  }

  /**
   * Stores the result of a terminal's check, and wakes the terminal if something has changed since. True if
   * the changes after the check are not read yet, so that the caller must read them.
   */
  found(registered: RegisteredPoll, lastCheck: DeliveryCheck): boolean {
    registered.longPoll.found(lastCheck);
    const { logicalNumberId } = lastCheck.facts;
    if (logicalNumberId !== registered.logicalNumberId) {
      this.#leaveNumber(registered);
      registered.logicalNumberId = logicalNumberId;
    }
    if (logicalNumberId !== null && registered.ofNumber === null) {
      const own = this.#ofNumbers.get(logicalNumberId) ?? new Queue<LongPoll>();
      this.#ofNumbers.set(logicalNumberId, own);
      registered.ofNumber = own.add(registered.longPoll);
    }
    const isFirst = this.#position === null;
    if (isFirst) this.#changedFrom = lastCheck.position;
    this.#position ??= lastCheck.position;
    if (this.#hasMissed(lastCheck)) registered.longPoll.wake('woken');
    return isFirst;
  }

  /** Whether something was read for its number that is later than what the terminal has seen. */
  #hasMissed({ position, facts }: DeliveryCheck): boolean {
    if (position < this.#changedFrom) return true;
    const changed = facts.logicalNumberId === null ? undefined : this.#changed.get(facts.logicalNumberId);
    return changed !== undefined && changed > position;
  }

  #remember(logicalNumberId: number, position: number): void {
    this.#changed.delete(logicalNumberId);
    this.#changed.set(logicalNumberId, position);
    if (this.#changed.size <= MAX_CHANGED) return;
    const [[oldest, last] = [0, 0]] = this.#changed;
    this.#changed.delete(oldest);
    this.#changedFrom = last;
  }

  #leaveNumber(registered: RegisteredPoll): void {
    const { logicalNumberId, ofNumber } = registered;
    if (logicalNumberId === null || ofNumber === null) return;
    const own = this.#ofNumbers.get(logicalNumberId);
    own?.remove(ofNumber);
    if (own?.size === 0) this.#ofNumbers.delete(logicalNumberId);
    registered.ofNumber = null;
  }

  /** Wakes terminals for which something has changed. */
  async readChanges(): Promise<void> {
    this.#isAskedAgain = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isAskedAgain && this.size > 0) {
        this.#isAskedAgain = false;
        await this.#readAll();
      }
    } finally {
      this.#isReading = false;
    }
  }

  async #readAll(): Promise<void> {
    for (let more = true; more && this.#position !== null;) {
      const after = this.#position;
      const { last, changes } = await this.units.systemRead(async (work) => ({
        last: await lastPosition(inCompany(work, this.companyId)),
        changes: await selectQueueChanges(work, this.companyId, { after, limit: CHANGES_PER_LOOK }),
      }));
      more = changes.length === CHANGES_PER_LOOK;
      this.#position = more ? (changes.at(-1)?.position ?? last) : last;
      for (const { logicalNumberId, position } of changes) {
        this.#remember(logicalNumberId, position);
        for (const { value } of this.#ofNumbers.get(logicalNumberId)?.places() ?? []) value.wake('woken');
      }
      await yieldToEventLoop();
    }
  }

  /** Wakes requests that are due for another check; after a lease, only if a delivery waits. */
  async wakeDue(now: Date): Promise<void> {
    const ended: {
      readonly longPoll: LongPoll;
      readonly lastCheck: DeliveryCheck;
      readonly logicalNumberId: number;
    }[] = [];
    for (const { value: longPoll } of this.#all.places()) {
      const { lastCheck } = longPoll;
      if (lastCheck === null) continue;
      const { againAt, heldUntil, facts } = lastCheck;
      if (againAt !== null && againAt <= now) longPoll.wake('checked');
      const { logicalNumberId } = facts;
      const hasEnded = heldUntil !== null && heldUntil <= now;
      if (hasEnded && logicalNumberId !== null) ended.push({ longPoll, lastCheck, logicalNumberId });
    }
    for (let start = 0; start < ended.length; start += NUMBERS_PER_LOOK) {
      const part = ended.slice(start, start + NUMBERS_PER_LOOK);
      const ids = new Set(part.map(({ logicalNumberId }) => logicalNumberId));
      const open = await this.units.systemRead((work) => selectOpenNumbers(work, this.companyId, [...ids]));
      for (const { longPoll, lastCheck, logicalNumberId } of part) {
        longPoll.leaseEnded(lastCheck);
        if (open.has(logicalNumberId)) longPoll.wake('woken');
      }
      await yieldToEventLoop();
    }
  }

  /** Wakes terminals whose device or token has changed, and one of each gateway. */
  async check(): Promise<void> {
    const longPolls = [...this.#all.places()]
      .map(({ value }) => value)
      .filter(({ lastCheck }) => lastCheck !== null);
    const gateways = new Set<number>();
    for (let start = 0; start < longPolls.length; start += DEVICES_PER_CHECK) {
      const part = longPolls.slice(start, start + DEVICES_PER_CHECK);
      const ids = new Set(part.map(({ lastCheck }) => lastCheck?.facts.deviceId ?? 0));
      const facts = await this.units.systemRead((work) => selectFacts(work, this.companyId, [...ids]));
      for (const longPoll of part) {
        const { lastCheck } = longPoll;
        if (lastCheck === null) continue;
        const { tokenId } = lastCheck;
        const isFirst = tokenId !== null && !gateways.has(tokenId);
        if (tokenId !== null) gateways.add(tokenId);
        if (isFirst || !areEqual(lastCheck.facts, facts.get(lastCheck.facts.deviceId)))
          longPoll.wake('checked');
      }
      await yieldToEventLoop();
    }
  }

  /** Wakes all terminals of a gateway, whose token has ended. */
  checkGateway(tokenId: number): void {
    for (const { value: longPoll } of this.#all.places()) {
      if (longPoll.lastCheck?.tokenId === tokenId) longPoll.checkToken();
    }
  }
}

function areEqual(one: TerminalFacts, other: TerminalFacts | undefined): boolean {
  return (
    other !== undefined &&
    one.serialNumber === other.serialNumber &&
    one.enabled === other.enabled &&
    one.logicalNumberId === other.logicalNumberId &&
    one.tokenHash === other.tokenHash
  );
}
