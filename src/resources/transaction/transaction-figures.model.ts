import type { TransactionRecord } from './transaction.model.js';

/** What is summed up of a payment, as columns: texts are empty and `installments` is -1 where unknown or without one. */
export interface Figures {
  readonly payment_status: string;
  readonly payment_type: string;
  readonly brand: string;
  readonly acquirer: string;
  readonly installments: number;
}

/** A type of payments with a brand and an acquirer, in one UTC month. */
export interface PaymentKind extends Pick<Figures, 'payment_type' | 'brand' | 'acquirer'> {
  /** 12 times the year, plus the month from 0 to 11. */
  readonly month: number;
}

/**
 * Kinds of payments that are summed up by their names, for each company and UTC month. Without this limit, a client that
 * sends a new brand with each payment would make totals as large as the table of transactions.
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

export function keyOfKind({ month, payment_type: type, brand, acquirer }: PaymentKind): string {
  return JSON.stringify([month, type, brand, acquirer]);
}

/** The figures of a transaction; `isNamed` says whether its kind is one of those that are summed up by their names. */
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

/** Of new kinds, those for which their month has room, by the number of its kinds before. */
export function admittedKinds(
  kinds: readonly PaymentKind[],
  totals: ReadonlyMap<number, number>,
): readonly PaymentKind[] {
  const taken = new Map(totals);
  return kinds.filter(({ month }) => {
    const total = taken.get(month) ?? 0;
    if (total >= MAX_KINDS) return false;
    taken.set(month, total + 1);
    return true;
  });
}
