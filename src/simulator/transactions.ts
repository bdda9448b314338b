import { SECOND } from '../platform/clock.js';
import { ndjsonLine } from '../platform/encoding/ndjson.js';
import type { Reply } from './http-client.js';
import { TransactionLine } from './messages.js';
import { PaymentGenerator, type At, type PaymentRow } from './payments.js';
import type { TerminalParts } from './terminal-http.js';

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
    const { figures, broken } = this.parts.shared;
    const what = `terminal ${this.parts.serialNumber}: ${row.reference} (${row.status})`;
    if (result === 'rejected') {
      broken.note('refused_transaction', `${what}: ${JSON.stringify(errors ?? {})}`);
    } else if (result === 'repeated') {
      figures.count('transactions_repeated');
      if (known === 'new') broken.note('doubled_transaction', `${what} was there before it was sent`);
    } else {
      figures.count('transactions_created');
      if (known === 'stored') broken.note('lost_transaction', `${what} was created again`);
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
