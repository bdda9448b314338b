import type { Confirmation, ConfirmationResult } from '../../../src/mqtt/delivery-queue.js';
import type { DeliveryQueue, HeldDelivery } from '../../../src/mqtt/delivery-queue.js';

interface Message extends HeldDelivery {
  readonly id: string;
}

/** Messages in memory, the next one of each terminal first, as the database has them. */
export class MemoryQueue implements DeliveryQueue<Message> {
  readonly waiting: Message[] = [];
  readonly sentIds: string[] = [];
  readonly confirmed: Confirmation[] = [];
  readonly claims: number[] = [];
  returned = 0;
  /** Result of `confirm` for every confirmation; while null, `confirm` throws. */
  result: ConfirmationResult | null = 'confirmed';
  readonly #held = new Set<string>();
  #ids = 0;

  add(companyId: number, logicalNumber: string, text: string): void {
    const id = String((this.#ids += 1));
    this.waiting.push({ id, companyId, logicalNumber, message: `${id}|SHOW_MESSAGE|${text}`, app: null });
  }

  nextCompany(after: number): Promise<number | null> {
    const companies = this.#free().map(({ companyId }) => companyId);
    const later = companies.filter((companyId) => companyId > after);
    const [next] = (later.length > 0 ? later : companies).sort((left, right) => left - right);
    return Promise.resolve(next ?? null);
  }

  claim(companyId: number, limit: number): Promise<readonly Message[]> {
    const free = this.#free()
      .filter((message) => message.companyId === companyId)
      .slice(0, limit);
    for (const { id } of free) this.#held.add(id);
    this.claims.push(free.length);
    return Promise.resolve(free);
  }

  #free(): Message[] {
    const next = new Map<string, Message>();
    for (const message of this.waiting) {
      const key = `${message.companyId}/${message.logicalNumber}`;
      if (!next.has(key)) next.set(key, message);
    }
    return [...next.values()].filter(({ id }) => !this.#held.has(id));
  }

  sent(_companyId: number, messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      this.#held.delete(message.id);
      this.sentIds.push(message.id);
      this.waiting.splice(this.waiting.indexOf(message), 1);
    }
    return Promise.resolve();
  }

  releaseDeliveries(_companyId: number, messages: readonly Message[]): Promise<void> {
    for (const { id } of messages) this.#held.delete(id);
    this.returned += messages.length;
    return Promise.resolve();
  }

  confirm(_company: number, confirmations: readonly Confirmation[]): Promise<readonly ConfirmationResult[]> {
    const { result } = this;
    if (result === null) return Promise.reject(new Error('The database is away.'));
    this.confirmed.push(...confirmations);
    return Promise.resolve(confirmations.map(() => result));
  }
}
