import type { Random } from '../platform/random.js';

/** A row of `POST /terminal/v1/transactions`; `begin` says which fields it has. */
export interface PaymentRow extends Readonly<Record<string, unknown>> {
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
export interface At {
  readonly logicalNumber: string;
  readonly appName: string;
}

/** Generates the payments of one terminal. Their references are unique to the run. */
export class PaymentGenerator {
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
