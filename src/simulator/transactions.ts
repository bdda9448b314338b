import { z } from 'zod';

import { SECOND } from '../platform/clock.js';
import { ndjsonLine } from '../platform/encoding/json.js';
import type { Random } from '../platform/random.js';
import type { Reply } from './http-client.js';
import type { TerminalParts } from './terminal-http.js';

const TransactionLine = z.object({
  line: z.int().optional(),
  result: z.enum(['created', 'repeated', 'rejected']).optional(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
  total: z.int().optional(),
  error: z.object({ code: z.string() }).optional(),
});
type TransactionLine = z.output<typeof TransactionLine>;

/** Share of batches recorded afterwards, as after a time without a connection. */
const STORED = 0.15;
/** Share of requests whose answer is lost, and of answered requests that are sent again. */
const LOST_ANSWER = 0.05;
const REPEATED = 0.05;
/** Number of acknowledged rows kept to verify at the end of the run. */
const KEPT = 3;

/** True if the server has stored the rows before. */
type Known = 'new' | 'stored' | 'uncertain';

export class Transactions {
  readonly #acknowledged: PaymentRow[] = [];
  #count = 0;

  constructor(private readonly parts: TerminalParts) {}

  /** Records one payment with its begin and end, or several finished offline. Errors: `RunIsOver`. */
  async record(at: At): Promise<void> {
    const { random } = this.parts;
    const { clock, work } = this.parts.shared;
    const now = (): number => clock.now().getTime();
    if (random.chance(STORED)) {
      const rows = Array.from({ length: random.whole(2, 20) }, () => {
        const startedAt = now() - random.whole(60, 3_600) * SECOND;
        return this.#payment(at, startedAt).endedAt(startedAt + random.whole(1, 9) * SECOND);
      });
      await this.#sendPerhapsTwice(rows);
      return;
    }
    const { begun, endedAt } = this.#payment(at, now());
    await this.#sendPerhapsTwice([begun]);
    await work.pause(random.whole(300, 3_000));
    await this.#sendPerhapsTwice([endedAt(now())]);
  }

  /** Sends the last acknowledged rows again; the server must report all of them as stored before. */
  async verify(): Promise<void> {
    if (this.#acknowledged.length > 0) await this.#send(this.#acknowledged, 'stored');
  }

  /** A payment with a reference that is unique to the run, as it begins, and as it is at its end. */
  #payment({ logicalNumber, appName, approvedShare }: At, startedAt: number) {
    const { random, serialNumber, shared } = this.parts;
    this.#count += 1;
    const card = random.pick(CARDS);
    const begun: PaymentRow = {
      transaction_type: 'switch',
      serial_number: serialNumber,
      logical_number: logicalNumber,
      app_name: appName,
      detail: '',
      framework_version: FRAMEWORK_VERSION,
      status: 'running',
      sent: `0200 pan=${card.number} nsu=${this.#count}`,
      received: null,
      parsed: null,
      started_at: new Date(startedAt).toISOString(),
      finished_at: null,
      reference: `simulation ${shared.run} ${serialNumber} ${this.#count}`.slice(0, 128),
    };
    const endedAt = (finishedAt: number): PaymentRow => {
      const ended = { ...begun, finished_at: new Date(finishedAt).toISOString() };
      if (random.chance(0.06)) return { ...ended, status: 'fail', detail: 'Host timeout' };
      const isApproved = random.chance(approvedShare);
      const response = isApproved ? '00' : '51';
      const parsed = parsedOf(random, card, isApproved, response);
      return { ...ended, status: 'success', received: `0210 response=${response}`, parsed };
    };
    return { begun, endedAt };
  }

  async #sendPerhapsTwice(rows: readonly PaymentRow[]): Promise<void> {
    const { random } = this.parts;
    const { stats, work, hasFaults } = this.parts.shared;
    const isLost = hasFaults && random.chance(LOST_ANSWER);
    if (isLost) {
      stats.count('connections_lost');
      await this.#ask(rows, 0);
      await work.pause(random.whole(0, SECOND));
    }
    await this.#send(rows, isLost ? 'uncertain' : 'new');
    if (hasFaults && random.chance(REPEATED)) await this.#send(rows, 'stored');
    this.#acknowledged.push(...rows.filter(({ status }) => status !== 'running'));
    this.#acknowledged.splice(0, Math.max(0, this.#acknowledged.length - KEPT));
  }

  async #send(rows: readonly PaymentRow[], known: Known): Promise<void> {
    for (;;) {
      const { failures } = this.parts.http;
      const lines = linesOf(await this.#ask(rows));
      // A request that was repeated after an error may have stored its rows the first time.
      const isUncertain = known === 'new' && this.parts.http.failures !== failures;
      for (const line of lines) this.#check(rows, line, isUncertain ? 'uncertain' : known);
      const last = lines.at(-1);
      if (last?.total === rows.length && last.error === undefined) return;
      this.parts.shared.stats.error(`transactions: ${last?.error?.code ?? 'an answer without totals'}`);
      await this.parts.shared.all.pause(SECOND);
      if (known === 'new') known = 'uncertain';
    }
  }

  async #ask(rows: readonly PaymentRow[], cutAfter?: number): Promise<Reply> {
    const body = rows.map(ndjsonLine).join('');
    const cut = cutAfter === undefined ? {} : { cutAfter };
    const headers = { 'content-type': 'application/x-ndjson' };
    return await this.parts.http.post('/terminal/v1/transactions', body, { headers, ...cut });
  }

  #check(rows: readonly PaymentRow[], { line, result, errors }: TransactionLine, known: Known): void {
    const row = rows[(line ?? 0) - 1];
    if (row === undefined || result === undefined) return;
    const { stats } = this.parts.shared;
    const what = `terminal ${this.parts.serialNumber}: ${row.reference} (${row.status})`;
    if (result === 'rejected') {
      stats.broke('refused_transaction', `${what}: ${JSON.stringify(errors ?? {})}`);
    } else if (result === 'repeated') {
      stats.count('transactions_repeated');
      if (known === 'new') stats.broke('doubled_transaction', `${what} was there before it was sent`);
    } else {
      stats.count('transactions_created');
      if (known === 'stored') stats.broke('lost_transaction', `${what} was created again`);
    }
  }
}

/** Lines of an answer; the last one has the totals. Errors: an `Error` for any other answer. */
function linesOf({ status, body }: Reply): readonly TransactionLine[] {
  try {
    const lines = body.toString().trimEnd().split('\n');
    return lines.map((line) => TransactionLine.parse(JSON.parse(line)));
  } catch {
    throw new Error(`transactions: status ${status} with ${body.toString().slice(0, 200)}`);
  }
}

/** A row of `POST /terminal/v1/transactions`; `#payment` says which fields it has. */
interface PaymentRow extends Readonly<Record<string, unknown>> {
  readonly status: 'running' | 'success' | 'fail';
  readonly reference: string;
}

export const FRAMEWORK_VERSION = '9.0.1';

/** Test card numbers, which the server must not store in full. */
const CARDS = [
  { brand: 'visa', number: '4111111111111111' },
  { brand: 'mastercard', number: '5555555555554444' },
  { brand: 'amex', number: '378282246310005' },
] as const;

const MERCHANT = { id: '000000000001', document: '11222333000181', name: 'Simulated shop' };

export interface At {
  readonly logicalNumber: string;
  readonly appName: string;
  /** Share of payments that are approved, from 0 to 1. */
  readonly approvedShare: number;
}

function parsedOf(random: Random, card: (typeof CARDS)[number], isApproved: boolean, response: string) {
  return {
    acquirer: 'simulator',
    type: 'sale',
    status: isApproved ? 'approved' : 'denied',
    status_reason: response,
    capture_method: random.pick(['emv', 'contactless', 'magnetic-stripe']),
    amount: random.whole(100, 50_000),
    payment_method: random.pick(['credit', 'debit']),
    nsu: random.digits(6),
    authorization_code: isApproved ? random.digits(6) : null,
    transaction_id: random.digits(9),
    merchant: MERCHANT,
    metadata: {},
    // Sends the full card number in both fields: the server must keep only the first 6 and last 4 digits.
    card: { brand: card.brand, first_digits: card.number, last_digits: card.number },
  };
}
