/** The database that benchmarks measure: a company with a fleet, software and transactions, and small ones beside it. */
import { randomBytes } from 'node:crypto';

import { DAY } from '../../src/platform/clock.js';
import { audit, companyOf, fill, fillDatabase, series, type Filling } from './fill.js';

export const GROUPS = 50;
const APPS = 30;
const VERSIONS = 300;
const FILES = 200;
const FILES_OF_VERSION = 4;
const VERSIONS_OF_NUMBER = 5;
const CONTENT_BYTES = 2_000;
const PARAMETERS_OF_GROUP = 20;
const PARAMETERS_OF_NUMBER = 2;
/** One request deletes at most 5,000 rows. */
const SETTINGS = 2_400;
/** The transactions are spread evenly over this many days. */
const DAYS = 90;
const DEVICES_OF_OTHERS = 100;

export interface Sizes {
  /** Each device has a logical number of its own. */
  readonly devices: number;
  readonly transactions: number;
  /** Logical numbers of the first group; the others are spread evenly over 50 groups. */
  readonly wide: number;
  /** Companies besides the first one, with a few devices each. */
  readonly others: number;
}

export interface BenchData {
  readonly sizes: Sizes;
  /** Token of the first company, with every scope. */
  readonly token: string;
  /** One token of each other company. */
  readonly others: readonly string[];
  /** First and last day of a week with transactions, for example `2026-03-02`. */
  readonly week: { readonly since: string; readonly until: string };
}

/** Records of the first company that are expensive to change. */
export const WIDE = {
  /** The group of as many logical numbers as `sizes.wide`. */
  group: 1,
  /** Versions that each of them has, of the apps 1 and 21. */
  versions: { changed: 1, deleted: 51 },
  /** Name of a group with as many parameters and metacontents as one request deletes. */
  groupWithSettings: 'settings',
} as const;

/** Makes a database of these sizes. Times are those of a fleet that still runs. */
export async function buildDatabase(file: string, sizes: Sizes): Promise<BenchData> {
  const [token = '', ...others] = Array.from({ length: 1 + sizes.others }, randomToken);
  const start = (Math.floor(Date.now() / DAY) - (DAYS - 1)) * DAY;
  await fillDatabase(file, [
    ...companyOf(1, 'bench', [token]),
    ...fleetOf(sizes),
    ...settings(sizes),
    ...software(),
    versionsOfNumbers(sizes),
    transactionsOf(sizes, start),
    ...others.flatMap((own, n) => otherCompany(2 + n, own)),
  ]);
  const day = (number: number): string => new Date(start + number * DAY).toISOString().slice(0, 10);
  return { sizes, token, others, week: { since: day(DAYS - 20), until: day(DAYS - 14) } };
}

const randomToken = (): string => randomBytes(20).toString('hex');

/** Serial number of the n-th device of the first company, from 0. */
export const serialOf = (n: number): string => `IM5${String(n).padStart(8, '0')}`;

const SERIAL = `format('IM5%08d', `;
const NUMBERED = { id: 'n + 1', company_id: 1 };
const RECORD = { ...NUMBERED, ...audit() };

const groupOf = (n: string, { wide }: Sizes): string => `iif(${n} < ${wide}, 1, 1 + ${n} % ${GROUPS})`;

function fleetOf(sizes: Sizes): readonly Filling[] {
  const meta = `json_object('brand', 'Ingenico', 'model', 'Move5000', 'battery_level', cast(n % 100 as text), 'ssl', '1')`;
  return [
    fill('groups', { ...RECORD, name: `'Group ' || n` }, series(GROUPS)),
    fill(
      'logical_numbers',
      { ...RECORD, number: 'cast(100000 + n as text)', group_id: groupOf('n', sizes) },
      series(sizes.devices),
    ),
    fill(
      'devices',
      {
        ...RECORD,
        serial_number: `${SERIAL}n)`,
        enabled: 1,
        logical_number_id: 'n + 1',
        meta,
        framework_version: `'8.31.2'`,
      },
      series(sizes.devices),
    ),
  ];
}

/** Parameters of all groups and numbers, and a group with many of them. */
function settings({ devices, wide }: Sizes): readonly Filling[] {
  const last = GROUPS + 1;
  const many = Math.min(wide, SETTINGS);
  const groups = `select 1 + n / ${PARAMETERS_OF_GROUP} as group_id, null as number_id, n % ${PARAMETERS_OF_GROUP} as k
    from ${series(GROUPS * PARAMETERS_OF_GROUP)}`;
  const numbers = `select null, 1 + n / ${PARAMETERS_OF_NUMBER}, n % ${PARAMETERS_OF_NUMBER}
    from ${series(devices * PARAMETERS_OF_NUMBER)}`;
  const more = `select ${last} as group_id, null as number_id, n as k from ${series(many)}`;
  const columns = {
    ...audit(),
    id: 'row_number() over ()',
    company_id: 1,
    group_id: 'group_id',
    logical_number_id: 'number_id',
    key: `'key_' || k`,
    value: `'"' || k || '"'`,
  };
  return [
    fill('groups', { ...RECORD, id: last, name: `'${WIDE.groupWithSettings}'` }, series(1)),
    fill('parameters', columns, `(${groups} union all ${numbers} union all ${more})`),
    fill('metacontents', columns, `(${more})`),
  ];
}

function software(): readonly Filling[] {
  const stored = { size: CONTENT_BYTES, crc: `'0000'` };
  const app = { communication_format: `'http'`, kind: `'standard'`, language: `'ruby'` };
  const version = { app_id: `1 + n % ${APPS}`, number: 'cast(n as text)', displayable: 0 };
  return [
    fill(
      'contents',
      { ...NUMBERED, ...stored, sha256: `''`, created_at: RECORD.created_at },
      series(FILES + VERSIONS),
    ),
    fill(
      'content_chunks',
      { company_id: 1, content_id: 'n + 1', sequence: 0, bytes: `randomblob(${CONTENT_BYTES})` },
      series(FILES + VERSIONS),
    ),
    fill(
      'files',
      { ...RECORD, ...stored, name: `'file' || n || '.bin'`, file_type: `'asset'`, content_id: 'n + 1' },
      series(FILES),
    ),
    fill('apps', { ...RECORD, ...app, name: `'app' || n || '.rb'` }, series(APPS)),
    fill(
      'app_versions',
      {
        ...RECORD,
        ...stored,
        ...version,
        content_id: `${FILES} + n + 1`,
        uuid: `format('00000000-0000-4000-8000-%012d', n)`,
      },
      series(VERSIONS),
    ),
    fill(
      'app_version_groups',
      { company_id: 1, app_version_id: 'n + 1', group_id: `1 + n % ${GROUPS}` },
      series(VERSIONS),
    ),
    fill(
      'app_version_files',
      { company_id: 1, app_version_id: 'version + 1', file_id: `1 + (version * 7 + k) % ${FILES}` },
      `(select n / ${FILES_OF_VERSION} as version, n % ${FILES_OF_VERSION} as k
        from ${series(VERSIONS * FILES_OF_VERSION)})`,
    ),
  ];
}

/** Links each logical number to versions of its group. */
const versionsOfNumbers = (sizes: Sizes): Filling =>
  fill(
    'logical_number_app_versions',
    {
      company_id: 1,
      logical_number_id: 'number + 1',
      app_version_id: `${groupOf('number', sizes)} + k * ${GROUPS}`,
    },
    `(select n / ${VERSIONS_OF_NUMBER} as number, n % ${VERSIONS_OF_NUMBER} as k
      from ${series(sizes.devices * VERSIONS_OF_NUMBER)})`,
  );

/** Transactions of which 90 % succeed and 9 % fail; 3 of 5 that succeed are payments. */
function transactionsOf(sizes: Sizes, start: number): Filling {
  const { devices, transactions } = sizes;
  const step = (Date.now() - start) / Math.max(1, transactions);
  const ifPaid = (value: string, otherwise = 'null'): string => `iif(is_paid, ${value}, ${otherwise})`;
  return fill(
    'transactions',
    {
      ...NUMBERED,
      transaction_type: `case n % 5 when 3 then 'company' when 4 then 'get_asset' else 'switch' end`,
      serial_number: `${SERIAL}device)`,
      logical_number: 'cast(100000 + device as text)',
      app_name: `'app' || (n * 31 % 12) || '.rb'`,
      detail: ifPaid(`''`, `'Release 42'`),
      framework_version: `'8.31.2'`,
      status: `case when n % 100 < 90 then 'success' when n % 100 < 99 then 'fail' else 'running' end`,
      sent: ifPaid(`'0200 nsu=' || n`),
      received: ifPaid(`'0210 nsu=' || n || ' response=00'`),
      parsed: ifPaid(PAYMENT),
      amount: ifPaid('amount', '-1'),
      payment_method: ifPaid(`iif(n % 2, 'debit', 'credit')`),
      capture_method: ifPaid(`iif(n % 2, 'contactless', 'emv')`),
      status_reason: ifPaid(`'00'`),
      nsu: ifPaid('cast(n as text)'),
      authorization_code: ifPaid(`'998877'`),
      last_digits: ifPaid(`substr('000' || n, -4)`),
      payment_outcome: ifPaid(`'approved'`),
      payment_status: ifPaid(`'approved'`, `''`),
      payment_type: ifPaid(`'sale'`, `''`),
      brand: ifPaid(`'visa'`, `''`),
      acquirer: ifPaid(`'bench'`, `''`),
      group_id: groupOf('device', sizes),
      started_at: 'at',
      finished_at: 'iif(n % 100 < 99, at + 2000, null)',
      recorded_at: 'at + 3000',
    },
    `(select n, n * 7919 % ${devices} as device, n % 100 < 90 and n % 5 < 3 as is_paid, 100 + n % 90000 as amount,
      cast(${start} + n * ${step} as integer) as at from ${series(transactions)})`,
  );
}

const PAYMENT = `json_object(
  'acquirer', 'bench', 'type', 'sale', 'status', 'approved', 'statusReason', '00',
  'captureMethod', iif(n % 2, 'contactless', 'emv'), 'amount', amount,
  'paymentMethod', iif(n % 2, 'debit', 'credit'), 'installment', json_object('type', null, 'quantity', null),
  'nsu', cast(n as text), 'authorizationCode', '998877', 'transactionId', cast(n * 3 as text),
  'card', json_object('brand', 'visa', 'expirationDate', '0131', 'firstDigits', '411111', 'lastDigits', '1111'),
  'merchant', json_object('id', '77', 'document', '11222333000181', 'name', 'Bench'), 'metadata', json_object())`;

function otherCompany(id: number, token: string): readonly Filling[] {
  const device = { serial_number: `'OTHER-' || n`, enabled: 1, meta: `'{}'` };
  return [
    ...companyOf(id, `other-${id}`, [token]),
    fill('devices', { ...NUMBERED, ...audit(id), ...device, company_id: id }, series(DEVICES_OF_OTHERS)),
  ];
}
