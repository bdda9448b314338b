import { randomBytes } from 'node:crypto';

import { DAY } from '../../src/platform/clock.js';
import { audit, fillDatabase, insertMember, type Insert } from './fill.js';

const GROUPS = 50;
const APPS = 30;
const VERSIONS = 300;
const FILES = 200;
const FILES_OF_VERSION = 4;
const VERSIONS_OF_NUMBER = 5;
/** The transactions are spread evenly over this many days. */
const DAYS = 90;

export interface BenchData {
  readonly token: string;
  readonly weekSince: string;
  readonly weekUntil: string;
}

export interface BenchSizes {
  readonly transactions: number;
  /** Each device has a logical number of its own. */
  readonly devices: number;
  /** The first so many logical numbers are in the first group; the others are spread evenly. */
  readonly wide: number;
}

const pick = <T>(choices: readonly [T, ...T[]], n: number): T => choices[n % choices.length] ?? choices[0];

/** Fills a database with one company. */
export async function buildDatabase(file: string, transactions: number): Promise<BenchData> {
  const sizes = { transactions, devices: 20_000, wide: 0 };
  return await fillDatabase(file, (insert) => insertCompany(insert, sizes, Date.now()));
}

/** Inserts the first company. */
export function insertCompany(insert: Insert, sizes: BenchSizes, now: number): BenchData {
  const start = Math.floor(now / DAY) * DAY - (DAYS - 1) * DAY;
  const token = randomBytes(20).toString('hex');
  insertMember(insert, 'bench', token, now);
  insertFleet(insert, sizes, now);
  insertSoftware(insert, now);
  insertVersionsOfNumbers(insert, sizes);
  insertTransactions(insert, { ...sizes, start, now });
  const day = (number: number): string => new Date(start + number * DAY).toISOString().slice(0, 10);
  return { token, weekSince: day(DAYS - 20), weekUntil: day(DAYS - 14) };
}

export const uuidOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const groupOf = (n: number, { wide }: BenchSizes): number => (n < wide ? 1 : 1 + (n % GROUPS));

function insertFleet(insert: Insert, sizes: BenchSizes, now: number): void {
  for (let n = 0; n < GROUPS; n += 1) insert('groups', { company_id: 1, name: `Group ${n}`, ...audit(now) });
  for (let n = 0; n < sizes.devices; n += 1) {
    const id = insert('logical_numbers', {
      company_id: 1,
      number: String(100_000 + n),
      group_id: groupOf(n, sizes),
      ...audit(now),
    });
    insert('devices', {
      company_id: 1,
      serial_number: serialOf(n),
      enabled: 1,
      logical_number_id: id,
      meta: JSON.stringify({
        brand: 'Ingenico',
        model: 'Move5000',
        battery_level: String(n % 100),
        ssl: '1',
      }),
      framework_version: '8.31.2',
      ...audit(now),
    });
  }
}

const serialOf = (n: number): string => `IM5${String(n).padStart(8, '0')}`;

function insertSoftware(insert: Insert, now: number): void {
  const content = (bytes: Uint8Array): number => {
    const meta = { company_id: 1, size: bytes.length, crc: '0000', sha256: '', created_at: now };
    const id = insert('contents', meta);
    insert('content_chunks', { company_id: 1, content_id: id, sequence: 0, bytes });
    return id;
  };
  for (let n = 0; n < FILES; n += 1) {
    const stored = { content_id: content(randomBytes(2_000)), size: 2_000, crc: '0000' };
    insert('files', { company_id: 1, name: `file${n}.bin`, file_type: 'asset', ...stored, ...audit(now) });
  }
  for (let n = 0; n < APPS; n += 1) {
    const app = { communication_format: 'http', kind: 'standard', language: 'ruby' };
    insert('apps', { company_id: 1, name: `app${n}.rb`, ...app, ...audit(now) });
  }
  for (let n = 0; n < VERSIONS; n += 1) {
    const id = insert('app_versions', {
      company_id: 1,
      app_id: 1 + (n % APPS),
      number: `${n}`,
      uuid: uuidOf(n),
      displayable: 0,
      content_id: content(randomBytes(2_000)),
      size: 2_000,
      crc: '0000',
      ...audit(now),
    });
    insert('app_version_groups', { company_id: 1, app_version_id: id, group_id: 1 + (n % GROUPS) });
    for (let k = 0; k < FILES_OF_VERSION; k += 1) {
      const file = 1 + ((n * 7 + k) % FILES);
      insert('app_version_files', { company_id: 1, app_version_id: id, file_id: file });
    }
  }
}

/** Links each logical number to versions of its group. */
function insertVersionsOfNumbers(insert: Insert, sizes: BenchSizes): void {
  for (let n = 0; n < sizes.devices; n += 1) {
    for (let k = 0; k < VERSIONS_OF_NUMBER; k += 1) {
      const version = groupOf(n, sizes) + k * GROUPS;
      insert('logical_number_app_versions', {
        company_id: 1,
        logical_number_id: 1 + n,
        app_version_id: version,
      });
    }
  }
}

interface History extends BenchSizes {
  readonly start: number;
  readonly now: number;
}

function insertTransactions(insert: Insert, history: History): void {
  const { transactions, devices, start, now } = history;
  const step = (now - start) / transactions;
  for (let n = 0; n < transactions; n += 1) {
    const startedAt = Math.floor(start + n * step);
    const status = n % 100 < 90 ? 'success' : n % 100 < 99 ? 'fail' : 'running';
    const type = pick(['switch', 'switch', 'switch', 'company', 'get_asset'], n);
    const isPayment = status === 'success' && type === 'switch';
    const device = (n * 7_919) % devices;
    insert('transactions', {
      company_id: 1,
      transaction_type: type,
      serial_number: serialOf(device),
      logical_number: String(100_000 + device),
      app_name: `app${(n * 31) % 12}.rb`,
      detail: isPayment ? '' : 'Release 42',
      framework_version: '8.31.2',
      status,
      sent: isPayment ? `0200 nsu=${n}` : null,
      received: isPayment ? `0210 nsu=${n} response=00` : null,
      parsed: isPayment ? JSON.stringify(paymentOf(n)) : null,
      amount: isPayment ? 100 + (n % 90_000) : null,
      payment_outcome: isPayment ? 'approved' : null,
      ...(isPayment ? PAYMENT : NO_PAYMENT),
      group_id: groupOf(device, history),
      started_at: startedAt,
      finished_at: status === 'running' ? null : startedAt + 2_000,
      recorded_at: startedAt + 3_000,
    });
  }
}

/** The columns by which payments are summed up. */
const PAYMENT = {
  ...{ payment_status: 'approved', payment_type: 'sale', brand: 'visa', acquirer: 'bench', installments: -1 },
};
const NO_PAYMENT = {
  ...{ payment_status: '', payment_type: '', brand: '', acquirer: '', installments: -1 },
};

function paymentOf(n: number): object {
  return {
    acquirer: 'bench',
    type: 'sale',
    status: 'approved',
    statusReason: '00',
    captureMethod: pick(['emv', 'contactless'], n),
    amount: 100 + (n % 90_000),
    paymentMethod: pick(['credit', 'debit'], n),
    installment: { type: null, quantity: null },
    nsu: String(n),
    authorizationCode: '998877',
    transactionId: String(n * 3),
    card: { brand: 'visa', expirationDate: '0131', firstDigits: '411111', lastDigits: '1111' },
    merchant: { id: '77', document: '11222333000181', name: 'Bench' },
    metadata: {},
  };
}
