import { SECOND } from '../platform/clock.js';
import type { Random } from '../platform/random.js';
import { CARDS, type CompanyPlan } from './catalog.js';
import type { Terminal } from './fleet.js';

/** A transaction as a terminal reports it; input of `recordEach`. */
export type ReportedTransaction = Readonly<Record<string, unknown>> & { readonly startedAt: Date };

/** An approved sale, which a later transaction may cancel. */
interface Sale {
  readonly nsu: string;
  readonly payment: Readonly<Record<string, unknown>>;
}

/** Generates transactions of a company's terminals. Cancellations refer to earlier sales. */
export class TransactionGenerator {
  readonly #sales = new Map<string, Sale>();
  #nsu = 100_000;

  constructor(
    private readonly random: Random,
    private readonly plan: CompanyPlan,
    private readonly terminals: readonly Terminal[],
  ) {}

  /** `count` transactions started within 24 hours before `end`, oldest first; 80 % of them in the last 10 hours. */
  day(end: Date, count: number): ReportedTransaction[] {
    const { random } = this;
    const ages = Array.from({ length: count }, () =>
      random.chance(0.8) ? random.whole(90, 10 * 3_600) : random.whole(90, 86_399),
    );
    return ages.sort((a, b) => b - a).map((age) => this.#transaction(new Date(end.getTime() - age * SECOND)));
  }

  /** `count` transactions that have not finished at `now`. */
  running(now: Date, count: number): ReportedTransaction[] {
    return Array.from({ length: count }, () => {
      const startedAt = new Date(now.getTime() - this.random.whole(1, 25) * SECOND);
      const { started } = this.#start(startedAt, 'switch');
      return { ...started, status: 'running' };
    });
  }

  #transaction(startedAt: Date): ReportedTransaction {
    const { random } = this;
    const percent = random.whole(1, 100);
    const type = percent <= 68 ? 'switch' : percent <= 88 ? 'company' : 'get_asset';
    const { terminal, started } = this.#start(startedAt, type);
    const failed = random.chance(0.06);
    const duration = failed ? random.whole(20, 60) * SECOND : random.whole(800, 9_000);
    const finished = {
      ...started,
      status: failed ? 'fail' : 'success',
      finishedAt: new Date(startedAt.getTime() + duration),
    };
    const detailed = (detail: string): ReportedTransaction => ({ ...finished, detail });
    if (failed) return detailed(random.pick(['Host timeout', 'No signal', 'TLS handshake failed']));
    if (type === 'company') return detailed(`Release ${random.whole(40, 58)}`);
    if (type === 'get_asset') return detailed(random.pick(this.plan.files));
    return { ...finished, ...this.#payment(terminal) };
  }

  #start(startedAt: Date, transactionType: 'switch' | 'company' | 'get_asset') {
    const terminal = this.random.pick(this.terminals);
    const { serialNumber, logicalNumber, frameworkVersion } = terminal;
    const { appName } = this.random.pick(
      terminal.apps.filter((app) => transactionType !== 'switch' || app.isFinancial),
    );
    const started = { transactionType, serialNumber, logicalNumber, frameworkVersion, appName, startedAt };
    return { terminal, started };
  }

  #payment({ logicalNumber, merchant }: Terminal): Pick<ReportedTransaction, 'sent' | 'received' | 'parsed'> {
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
