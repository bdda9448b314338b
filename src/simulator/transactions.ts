import { z } from 'zod';

import { SECOND } from '../platform/clock.js';
import { ndjsonLine } from '../platform/encoding/ndjson.js';
import type { Random } from '../platform/random.js';
import type { Reply } from './http-client.js';
import type { TerminalParts } from './terminal-http.js';

/** A line of the answer to `POST /terminal/v1/transactions`. */
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

/** Whether the server has stored the rows before. */
type Known = 'new' | 'stored' | 'uncertain';

/** Records the transactions of one terminal. */
export class Transactions {
  readonly #payments: PaymentGenerator;
  readonly #acknowledged: PaymentRow[] = [];

  constructor(private readonly parts: TerminalParts) {
    const { serialNumber, random, shared } = parts;
    this.#payments = new PaymentGenerator(random, { serialNumber, run: shared.run });
  }

  /** Records one payment with its begin and end, or several finished offline. Errors: `RunIsOver`. */
  async record(at: At): Promise<void> {
    const { random } = this.parts;
    const { clock, work } = this.parts.shared;
    if (random.chance(STORED)) {
      const rows = Array.from({ length: random.whole(2, 20) }, () => {
        const startedAt = new Date(clock.now().getTime() - random.whole(60, 3_600) * SECOND);
        const begun = this.#payments.begin(at, startedAt);
        return this.#payments.end(begun, new Date(startedAt.getTime() + random.whole(1, 9) * SECOND));
      });
      await this.#sendPerhapsTwice(rows);
      return;
    }
    const begun = this.#payments.begin(at, clock.now());
    await this.#sendPerhapsTwice([begun]);
    await work.pause(random.whole(300, 3_000));
    await this.#sendPerhapsTwice([this.#payments.end(begun, clock.now())]);
  }

  /** Sends the last acknowledged rows again; the server must report all of them as stored before. */
  async verify(): Promise<void> {
    if (this.#acknowledged.length > 0) await this.#send(this.#acknowledged, 'stored');
  }

  async #sendPerhapsTwice(rows: readonly PaymentRow[]): Promise<void> {
    const { random } = this.parts;
    const { figures, work, hasFaults } = this.parts.shared;
    const isLost = hasFaults && random.chance(LOST_ANSWER);
    if (isLost) {
      figures.count('connections_lost');
      await this.#ask(rows, 0);
      await work.pause(random.whole(0, SECOND));
    }
    await this.#send(rows, isLost ? 'uncertain' : 'new');
    if (hasFaults && random.chance(REPEATED)) await this.#send(rows, 'stored');
    this.#acknowledged.push(...rows.filter(({ status }) => status !== 'running'));
    this.#acknowledged.splice(0, Math.max(0, this.#acknowledged.length - KEPT));
  }

  /** Sends rows until all of them are stored. */
  async #send(rows: readonly PaymentRow[], known: Known): Promise<void> {
    for (;;) {
      const { failures } = this.parts.http;
      const lines = linesOf(await this.#ask(rows));
      // A request that was repeated after an error may have stored its rows the first time.
      const isUncertain = known === 'new' && this.parts.http.failures !== failures;
      for (const line of lines) this.#check(rows, line, isUncertain ? 'uncertain' : known);
      const last = lines.at(-1);
      if (last?.total === rows.length && last.error === undefined) return;
      this.parts.shared.figures.error(`transactions: ${last?.error?.code ?? 'an answer without totals'}`);
      await this.parts.shared.all.pause(SECOND);
      if (known === 'new') known = 'uncertain';
    }
  }

  async #ask(rows: readonly PaymentRow[], cutAfter?: number): Promise<Reply> {
    const path = '/terminal/v1/transactions';
    const headers = { 'content-type': 'application/x-ndjson' };
    const body = rows.map(ndjsonLine).join('');
    const cut = cutAfter === undefined ? {} : { cutAfter };
    return await this.parts.http.ask({ method: 'POST', path, headers, body, ...cut });
  }

  #check(rows: readonly PaymentRow[], { line, result, errors }: TransactionLine, known: Known): void {
    const row = rows[(line ?? 0) - 1];
    if (row === undefined || result === undefined) return;
    const { figures } = this.parts.shared;
    const what = `terminal ${this.parts.serialNumber}: ${row.reference} (${row.status})`;
    if (result === 'rejected') {
      figures.broke('refused_transaction', `${what}: ${JSON.stringify(errors ?? {})}`);
    } else if (result === 'repeated') {
      figures.count('transactions_repeated');
      if (known === 'new') figures.broke('doubled_transaction', `${what} was there before it was sent`);
    } else {
      figures.count('transactions_created');
      if (known === 'stored') figures.broke('lost_transaction', `${what} was created again`);
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

/** A row of `POST /terminal/v1/transactions`; `begin` says which fields it has. */
interface PaymentRow extends Readonly<Record<string, unknown>> {
  readonly status: 'running' | 'success' | 'fail';
  readonly sent: string;
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

/** Logical number and app that make a payment. */
interface At {
  readonly logicalNumber: string;
  readonly appName: string;
}

/** Generates the payments of one terminal. Their references are unique to the run. */
class PaymentGenerator {
  #count = 0;

  constructor(
    private readonly random: Random,
    private readonly of: { readonly serialNumber: string; readonly run: string },
  ) {}

  begin({ logicalNumber, appName }: At, startedAt: Date): PaymentRow {
    const { serialNumber, run } = this.of;
    this.#count += 1;
    const { number } = this.random.pick(CARDS);
    return {
      transaction_type: 'switch',
      serial_number: serialNumber,
      logical_number: logicalNumber,
      app_name: appName,
      detail: '',
      framework_version: FRAMEWORK_VERSION,
      status: 'running',
      sent: `0200 pan=${number} nsu=${this.#count}`,
      received: null,
      parsed: null,
      started_at: startedAt.toISOString(),
      finished_at: null,
      reference: `simulation ${run} ${serialNumber} ${this.#count}`.slice(0, 128),
    };
  }

  /** The whole transaction: the begun payment with its end and result. */
  end(begun: PaymentRow, finishedAt: Date): PaymentRow {
    const { random } = this;
    const ended = { ...begun, finished_at: finishedAt.toISOString() };
    if (random.chance(0.06)) return { ...ended, status: 'fail', detail: 'Host timeout' };
    const isApproved = random.chance(0.9);
    const response = isApproved ? '00' : '51';
    return {
      ...ended,
      status: 'success',
      received: `0210 response=${response}`,
      parsed: this.#parsed(begun, isApproved, response),
    };
  }

  #parsed({ sent }: PaymentRow, isApproved: boolean, response: string): object {
    const { random } = this;
    const card = CARDS.find(({ number }) => sent.includes(number)) ?? CARDS[0];
    return {
      acquirer: 'simulator',
      type: 'sale',
      status: isApproved ? 'approved' : 'denied',
      status_reason: response,
      capture_method: random.pick(['emv', 'contactless', 'magnetic-stripe']),
      amount: random.whole(100, 50_000),
      payment_method: random.pick(['credit', 'debit']),
      nsu: String(this.#count),
      authorization_code: isApproved ? random.digits(6) : null,
      transaction_id: random.digits(9),
      merchant: MERCHANT,
      metadata: {},
      // Sends the full card number in both fields: the server must keep only the first 6 and last 4 digits.
      card: { brand: card.brand, first_digits: card.number, last_digits: card.number },
    };
  }
}
