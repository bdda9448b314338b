import type { TransactionRecord } from './transaction.model.js';

/** Columns that totals are grouped by. Without a value, texts are empty and `installments` is -1. */
export interface Figures {
  readonly payment_status: string;
  readonly payment_type: string;
  readonly brand: string;
  readonly acquirer: string;
  readonly installments: number;
}

/** Combination of payment type, brand and acquirer in one UTC month. */
export interface PaymentKind extends Pick<Figures, 'payment_type' | 'brand' | 'acquirer'> {
  /** 12 times the year, plus the month from 0 to 11. */
  readonly month: number;
}

/**
 * Maximum kinds of payments with totals of their own, for each company and UTC month. Without this limit, a
 * client that sends a new brand with each payment would make the totals as large as the table of
 * transactions.
 */
export const MAX_KINDS = 300;

/** Type, brand and acquirer of all kinds beyond `MAX_KINDS`. */
const OTHER = 'other';

const NO_PAYMENT: Figures = {
  ...{ payment_status: '', payment_type: '', brand: '', acquirer: '', installments: -1 },
};

/** The kind of a transaction's payment; undefined without a payment. */
export function kindOf({ parsed, startedAt }: TransactionRecord): PaymentKind | undefined {
  if (parsed === null) return undefined;
  return {
    month: startedAt.getUTCFullYear() * 12 + startedAt.getUTCMonth(),
    payment_type: parsed.type,
    brand: parsed.card?.brand ?? '',
    acquirer: parsed.acquirer ?? '',
  };
}

/** Text that identifies a kind within its month. */
export function keyOfKind({ payment_type: type, brand, acquirer }: Omit<PaymentKind, 'month'>): string {
  return JSON.stringify([type, brand, acquirer]);
}

/** Figures of a transaction; `isNamed` says whether its kind has totals of its own. */
export function figuresOfRecord(record: TransactionRecord, isNamed: (kind: PaymentKind) => boolean): Figures {
  const kind = kindOf(record);
  if (kind === undefined || record.parsed === null) return NO_PAYMENT;
  const { payment_type: type, brand, acquirer } = kind;
  return {
    payment_status: record.parsed.status,
    ...(isNamed(kind)
      ? { payment_type: type, brand, acquirer }
      : { payment_type: OTHER, brand: OTHER, acquirer: OTHER }),
    installments: record.parsed.installment.quantity ?? NO_PAYMENT.installments,
  };
}
