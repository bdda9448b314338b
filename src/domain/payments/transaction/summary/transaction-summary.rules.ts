import type { Dimension, SummaryRow } from './transaction-summary.model.js';

type Value = string | number | null;

const VALUES: Readonly<Record<Dimension, (row: SummaryRow) => Value>> = {
  status: (row) => row.status,
  transactionType: (row) => row.transactionType,
  appName: (row) => row.appName,
  logicalNumber: (row) => row.logicalNumber,
  group: (row) => row.groupId,
  paymentStatus: (row) => row.paymentStatus,
  paymentType: (row) => row.paymentType,
  brand: (row) => row.brand,
  acquirer: (row) => row.acquirer,
  installments: (row) => row.installments,
};

/** Adds up the rows of summaries of several time ranges. */
export class SummaryRows {
  readonly #rows = new Map<string, SummaryRow>();

  constructor(private readonly by: readonly Dimension[]) {}

  add(rows: readonly SummaryRow[]): void {
    for (const row of rows) {
      const key = JSON.stringify(this.#valuesOf(row));
      const known = this.#rows.get(key);
      this.#rows.set(key, known === undefined ? row : sumOfRows(known, row));
    }
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Rows in the order of the database: null first, texts by their bytes. */
  inOrder(): readonly SummaryRow[] {
    const keyed = [...this.#rows.values()].map((row) => ({ row, values: this.#valuesOf(row) }));
    return keyed.sort((one, other) => compareAll(one.values, other.values)).map(({ row }) => row);
  }

  #valuesOf(row: SummaryRow): readonly Value[] {
    return [row.bucketStart?.getTime() ?? null, ...this.by.map((dimension) => VALUES[dimension](row))];
  }
}

function sumOfRows(one: SummaryRow, other: SummaryRow): SummaryRow {
  return {
    ...one,
    count: one.count + other.count,
    amountTotal: one.amountTotal + other.amountTotal,
    approvedAmount: one.approvedAmount + other.approvedAmount,
    deniedAmount: one.deniedAmount + other.deniedAmount,
    cancelledAmount: one.cancelledAmount + other.cancelledAmount,
  };
}

function compareAll(one: readonly Value[], other: readonly Value[]): number {
  for (const [place, value] of one.entries()) {
    const order = compare(value, other[place] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function compare(one: Value, other: Value): number {
  if (one === other) return 0;
  if (one === null) return -1;
  if (other === null) return 1;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}
