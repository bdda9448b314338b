import { SECOND } from '../platform/clock.js';
import { CARDS, type CompanyPlan } from './catalog.js';
import type { Random } from './random.js';
import type { Terminal } from './terminals.js';

/** What one terminal reports of one transaction; the input of `recordTransactions`. */
export type Report = Readonly<Record<string, unknown>> & { readonly startedAt: Date };

/** A payment that can still be cancelled. */
interface Sale {
  readonly nsu: string;
  readonly payment: Readonly<Record<string, unknown>>;
}

/** Makes up what terminals do, so that a cancellation follows its sale. */
export class Activity {
  readonly #sales = new Map<string, Sale>();
  #nsu = 100_000;

  constructor(
    private readonly random: Random,
    private readonly plan: CompanyPlan,
    private readonly terminals: readonly Terminal[],
  ) {}

  /** So many transactions that began within a day before `end`, oldest first; most in its last hours. */
  day(end: Date, count: number): Report[] {
    const { random } = this;
    const ages = Array.from({ length: count }, () =>
      random.chance(0.8) ? random.whole(90, 10 * 3_600) : random.whole(90, 86_399),
    );
    return ages.sort((a, b) => b - a).map((age) => this.#transaction(new Date(end.getTime() - age * SECOND)));
  }

  /** What is under way at an instant. */
  running(now: Date, count: number): Report[] {
    return Array.from({ length: count }, () => {
      const startedAt = new Date(now.getTime() - this.random.whole(1, 25) * SECOND);
      const { begun } = this.#begin(startedAt, 'switch');
      return { ...begun, status: 'running' };
    });
  }

  #transaction(startedAt: Date): Report {
    const { random } = this;
    const kind = random.whole(1, 100);
    const type = kind <= 68 ? 'switch' : kind <= 88 ? 'company' : 'get_asset';
    const { terminal, begun } = this.#begin(startedAt, type);
    const failed = random.chance(0.06);
    const took = failed ? random.whole(20, 60) * SECOND : random.whole(800, 9_000);
    const ended = {
      ...begun,
      status: failed ? 'fail' : 'success',
      finishedAt: new Date(startedAt.getTime() + took),
    };
    if (failed)
      return { ...ended, detail: random.pick(['Host timeout', 'No signal', 'TLS handshake failed']) };
    if (type === 'company') return { ...ended, detail: `Release ${random.whole(40, 58)}` };
    if (type === 'get_asset')
      return { ...ended, detail: this.plan.files[random.whole(0, this.plan.files.length - 1)] };
    return { ...ended, ...this.#payment(terminal) };
  }

  #begin(startedAt: Date, transactionType: 'switch' | 'company' | 'get_asset') {
    const terminal = this.terminals[this.random.whole(0, this.terminals.length - 1)];
    if (terminal === undefined) throw new Error('There are no terminals');
    const apps = terminal.apps.filter((app) => transactionType !== 'switch' || app.isFinancial);
    const app = apps[this.random.whole(0, apps.length - 1)];
    if (app === undefined) throw new Error('No app takes payments');
    const { serialNumber, logicalNumber, frameworkVersion } = terminal;
    const { appName } = app;
    const begun = { transactionType, serialNumber, logicalNumber, frameworkVersion, appName, startedAt };
    return { terminal, begun };
  }

  #payment({ logicalNumber, merchant }: Terminal): Pick<Report, 'sent' | 'received' | 'parsed'> {
    const nsu = String((this.#nsu += 1));
    const sale = this.#sales.get(logicalNumber);
    const cancels = sale !== undefined && this.random.chance(0.05);
    const approved = this.random.chance(0.9);
    const reason = approved ? '00' : this.random.pick(['05', '51', '57', '91']);
    const payment = cancels ? sale.payment : this.#sale(merchant);
    if (cancels) this.#sales.delete(logicalNumber);
    else if (approved) this.#sales.set(logicalNumber, { nsu, payment });
    const parsed = {
      ...payment,
      type: cancels ? 'cancellation' : 'sale',
      status: approved ? 'approved' : 'denied',
      statusReason: reason,
      nsu,
      ...(cancels ? { nsuReference: sale.nsu } : {}),
      authorizationCode: approved ? this.random.digits(6) : null,
      transactionId: this.random.digits(9),
    };
    return {
      sent: `${cancels ? '0400' : '0200'} nsu=${nsu} amount=${String(payment.amount)}`,
      received: `${cancels ? '0410' : '0210'} nsu=${nsu} response=${reason}`,
      parsed,
    };
  }

  #sale(merchant: Terminal['merchant']) {
    const { random, plan } = this;
    const { brand, firstDigits } = random.pick(CARDS);
    const isCredit = random.chance(0.6);
    const quantity = isCredit && random.chance(0.35) ? random.whole(2, 12) : null;
    return {
      acquirer: plan.acquirer,
      captureMethod: random.pick(['emv', 'emv', 'contactless', 'contactless', 'magnetic-stripe']),
      amount: random.pick([1, 1, 2, 5, 20]) * random.whole(150, 9_900),
      paymentMethod: isCredit ? 'credit' : 'debit',
      installment: { type: quantity === null ? null : 'merchant', quantity },
      card: {
        brand,
        expirationDate: `${String(random.whole(1, 12)).padStart(2, '0')}${random.whole(28, 33)}`,
        firstDigits,
        lastDigits: random.digits(4),
      },
      merchant,
      metadata: { batch: random.whole(100, 999) },
    };
  }
}
