import { recordAll } from './fleet.js';
import type { Member, TestServer } from './server.js';

/** Result of a transaction of a terminal: a payment with this outcome, or none. */
export type Sale = 'approved' | 'denied' | 'refund' | 'failed' | 'running' | 'failedDownload' | 'noPayment';

export const SALES: readonly Sale[] = [
  'approved',
  'denied',
  'refund',
  'failed',
  'running',
  'failedDownload',
  'noPayment',
];

const parsed = (status: 'approved' | 'denied', type: string) => ({
  parsed: {
    acquirer: 'acquirer',
    type,
    status,
    statusReason: null,
    captureMethod: 'emv',
    amount: 100,
    paymentMethod: 'credit',
    nsu: null,
    authorizationCode: null,
    transactionId: null,
  },
});

const FORMS: Readonly<Record<Sale, object>> = {
  approved: parsed('approved', 'sale'),
  denied: parsed('denied', 'sale'),
  refund: parsed('approved', 'refund'),
  failed: { status: 'fail' },
  running: { status: 'running', finishedAt: null },
  failedDownload: { status: 'fail', transactionType: 'get_asset' },
  noPayment: {},
};

export interface Sold {
  readonly serialNumber: string;
  readonly sale: Sale;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** Records transactions as terminals report them. */
export async function sell({ app }: Pick<TestServer, 'app'>, member: Member, sold: readonly Sold[]) {
  const rows = sold.map(({ serialNumber, sale, at }) => ({
    transactionType: 'switch',
    serialNumber,
    logicalNumber: 'any',
    appName: 'sales',
    status: 'success',
    startedAt: new Date(at),
    finishedAt: new Date(at + 1),
    ...FORMS[sale],
  }));
  for (let start = 0; start < rows.length; start += 500) {
    await app.units.write(member.caller, (work) => recordAll(work, rows.slice(start, start + 500)));
  }
}
