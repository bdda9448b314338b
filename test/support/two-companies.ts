import { gzipSync } from 'node:zlib';

import { NUMBERED_TABLES } from '../../src/database/statements.js';
import type { Tables } from '../../src/schema/schema.js';
import type { SqlRow, SqlValue, TestPlace } from './databases/place.js';
import { filled } from './databases/rows.js';

/**
 * The other company, and what ids of its rows begin with: they are copies of those of the first, with links among
 * themselves. It has other copies with the ids and the links of the first company's records.
 */
export const TWIN = 7_770_000;
/** The id of a token of the other company. */
const SECOND_TOKEN = 8_880_000;

/** When every record was made. */
const EARLY = new Date(5);
/** Ids of deliveries for logical number 1, in their order. */
export const [FAILED_EARLIER, LEASED, FAILED_LATER] = [11, 12, 14];
export const LEASE_END = new Date(7);
const FAILED = { state: 'failed', finished_at: EARLY, due_at: null, lease_ends_at: null };
const DUE = { state: 'queued', finished_at: null, due_at: EARLY, lease_ends_at: null };
/** In the hour of UTC in which a day begins in India. */
export const START = 10 * 86_400_000 + 18 * 3_600_000;

/** Text of a piece of a log, which ends within a line. */
const LINE = gzipSync('sale 41111111');

/** Rows of the first company. Only links of the other company lead to group 2 and version 12. */
const ROWS: readonly (readonly [table: keyof Tables, unique: string | null, rows: readonly SqlRow[]])[] = [
  ['groups', 'name', [1, 2].map((id) => ({ id, name: `group ${id}` }))],
  [
    'logical_numbers',
    'number',
    [
      { id: 1, number: 'N', group_id: 1 },
      { id: 2, number: 'N2', group_id: null },
      { id: 3, number: 'N3', group_id: null },
    ],
  ],
  ['devices', 'serial_number', [{ id: 1, serial_number: 'S', enabled: true, logical_number_id: 1 }]],
  ['device_logs', 'name', [1, 2].map((id) => ({ id, device_id: 1, name: `log ${id}`, parts: 3, size: 5 }))],
  [
    'device_log_chunks',
    null,
    [1, 3].map((part) => ({ id: part, log_id: 1, part, sequence: 0, line_count: 1, bytes: LINE })),
  ],
  // The other company has a device `Sx`.
  [
    'unknown_terminals',
    'serial_number',
    ['U', 'Sx'].map((serial_number, n) => ({ id: n + 1, serial_number })),
  ],
  [
    'apps',
    'name',
    [{ id: 1, name: 'A.posxml', communication_format: 'http', kind: 'module', language: 'posxml' }],
  ],
  ['contents', null, [{ id: 1 }]],
  [
    'app_versions',
    'number',
    [11, 12, 15, 16].map((id) => ({ id, app_id: 1, number: `${id}`, content_id: 1 })),
  ],
  ['files', 'name', [{ id: 1, name: 'F', file_type: 'asset', content_id: 1 }]],
  [
    'parameters',
    'key',
    [
      { id: 1, group_id: 1, logical_number_id: null, key: 'K' },
      { id: 2, group_id: null, logical_number_id: 1, key: 'L' },
    ],
  ],
  ['metacontents', 'key', [{ id: 1, logical_number_id: 1, key: 'K', value: '1' }]],
  [
    'notifications',
    null,
    [1, 2, 3, 4].map((id) => ({
      id,
      content: 'SHOW|x',
      range: 'group',
      kind: 'show',
      group_id: 1,
      expires_at: new Date(9),
    })),
  ],
  ['jobs', null, [{ id: 1, kind: 'k', state: 'done', ended_at: EARLY }]],
  [
    'rollouts',
    null,
    [
      {
        id: 1,
        name: 'R',
        app_version_ids: '[11]',
        waves: '[]',
        stop_when: '{}',
        hours: 'null',
        figures: '[]',
        payments: '[]',
        due_at: EARLY,
      },
    ],
  ],
  [
    'rollout_terminals',
    null,
    [{ id: 1, rollout_id: 1, wave: 0, device_id: 1, logical_number_id: 1, added: '[]', removed: '[]' }],
  ],
  ['webhooks', null, [{ id: 1, url: 'https://example.com/', events: '["*"]', enabled: true, due_at: EARLY }]],
  [
    'alert_rules',
    'name',
    [{ id: 1, name: 'R', kind: 'refused', condition: '{}', recipient_ids: '[]', webhook_id: 1 }],
  ],
  [
    'alerts',
    'name',
    [
      {
        id: 1,
        rule_id: 1,
        name: 'R',
        kind: 'refused',
        affected: 1,
        examples: '[]',
        recipient_ids: '[]',
        webhook_ids: '[]',
        closed_at: EARLY,
        sequence: 1,
      },
    ],
  ],
  [
    'export_schedules',
    'name',
    [{ id: 1, name: 'E', list: 'devices', input: '{}', origin: '{}', webhook_id: 1, time_zone: 'UTC' }],
  ],
  ['saved_filters', 'name', [{ id: 1, name: 'X', kind: 'device', filter: '{}', shared: true }]],
  ['notification_targets', null, [{ notification_id: 2, part: 0, logical_numbers: '[2]' }]],
  [
    'notification_deliveries',
    null,
    [
      { id: FAILED_EARLIER, notification_id: 1, logical_number_id: 1, ...FAILED },
      { id: LEASED, notification_id: 2, logical_number_id: 1, ...DUE, lease_ends_at: LEASE_END },
      { id: 13, notification_id: 3, logical_number_id: 1, ...DUE, due_at: null },
      { id: FAILED_LATER, notification_id: 4, logical_number_id: 1, ...FAILED },
      { id: 15, notification_id: 1, logical_number_id: 2, ...FAILED },
      { id: 16, notification_id: 1, logical_number_id: 3, ...DUE },
    ].map((row) => ({ ...row, lane: row.logical_number_id, sequence: row.id, attempts: 1 })),
  ],
  [
    'transactions',
    'reference',
    [
      {
        id: 1,
        transaction_type: 'switch',
        serial_number: 'S',
        logical_number: 'N',
        app_name: 'A.posxml',
        status: 'success',
        amount: 5,
        payment_outcome: 'approved',
        reference: 'R',
        started_at: new Date(START),
        finished_at: new Date(START),
        recorded_at: new Date(START),
      },
    ],
  ],
];

const LINKS: readonly (readonly [table: keyof Tables, row: SqlRow, unlinked: SqlRow])[] = [
  ['app_version_groups', { app_version_id: 11, group_id: 1 }, { app_version_id: 12, group_id: 2 }],
  ['group_default_versions', { app_version_id: 11, group_id: 1 }, { app_version_id: 12, group_id: 2 }],
  ['app_version_modules', { app_version_id: 12, module_id: 11 }, { app_version_id: 11, module_id: 12 }],
  ['app_version_modules', { app_version_id: 11, module_id: 15 }, { app_version_id: 12, module_id: 15 }],
  ['app_version_modules', { app_version_id: 15, module_id: 16 }, { app_version_id: 16, module_id: 12 }],
  ['app_version_files', { app_version_id: 11, file_id: 1 }, { app_version_id: 12, file_id: 1 }],
  [
    'logical_number_app_versions',
    { logical_number_id: 1, app_version_id: 11 },
    { logical_number_id: 1, app_version_id: 12 },
  ],
];

const LINK_COLUMNS = [
  'group_id',
  'logical_number_id',
  'device_id',
  'log_id',
  'app_id',
  'content_id',
  'notification_id',
  'app_version_id',
  'module_id',
  'file_id',
  'rollout_id',
];

function shifted(row: SqlRow, by: number, columns: readonly string[]): SqlRow {
  const shift = ([name, value]: [string, SqlValue]): [string, SqlValue] =>
    columns.includes(name) && value !== null ? [name, Number(value) + by] : [name, value];
  return Object.fromEntries(Object.entries(row).map(shift));
}

type Inserted = readonly [table: keyof Tables, row: SqlRow];

/** Fills an empty database with the first company, and with the other one. */
export async function seedCompanies(place: TestPlace, withOther: boolean): Promise<void> {
  const rows = [
    ...peopleOf(1),
    ...(withOther ? peopleOf(TWIN) : []),
    ...(withOther ? personOfBoth() : []),
    ...ROWS.flatMap(([table, unique, own]) => own.flatMap((row) => copies(table, unique, row, withOther))),
    ...LINKS.flatMap(([table, row, unlinked]) => linkCopies(table, row, unlinked, withOther)),
    ...chunks(withOther),
    ...ofDevices(withOther),
    ...(withOther ? ONLY_OF_OTHER : []),
  ];
  await place.insertForbidden(rows.map(([table, row]) => [table, filled(table, row, EARLY)]));
  // Tables without totals have no row yet.
  const counters = `insert into counters (company_id, name, total, last_drawn)
    select id, $1, 0, 0 from companies where true on conflict do nothing`;
  for (const table of NUMBERED_TABLES) await place.sql(counters, [table]);
  await place.continueIdsAfter(9_000_000);
}

function peopleOf(company: number): Inserted[] {
  const token = { id: company, company_id: company, user_id: company, kind: 'named', scopes: '[]' };
  // A row of both companies with the same id; that of the other one has ended before.
  const [revoked, expired] = company === 1 ? [5, 6] : [1, 2];
  const ended = { revoked_at: new Date(revoked), expires_at: new Date(expired) };
  return [
    ['companies', { id: company, name: `company ${company}` }],
    ['users', { id: company, email: `${company}@example`, time_zone: 'UTC' }],
    ['memberships', { company_id: company, user_id: company, role: 'admin', time_zone: 'UTC' }],
    ['access_tokens', { ...token, name: 't', token_hash: `${company}` }],
    ['access_tokens', { ...token, id: 50, name: 'ended', token_hash: `ended ${company}`, ...ended }],
    ...sequencesOf(company).map((sequence) => entryOf(company, sequence)),
  ];
}

const sequencesOf = (company: number): readonly number[] => (company === 1 ? [2] : [1, 2, 3]);

function entryOf(company: number, sequence: number): Inserted {
  const entry = { at: new Date(sequence), channel: 'api', action: 'create', entity_type: 'group' };
  return ['ledger', { company_id: company, sequence, ...entry }];
}

/** A user of both companies, with another role. */
function personOfBoth(): Inserted[] {
  const token = { id: SECOND_TOKEN, company_id: TWIN, user_id: 1, kind: 'derived', nonce: 'n', scopes: '[]' };
  return [
    ['memberships', { company_id: TWIN, user_id: 1, role: 'viewer', time_zone: 'UTC' }],
    ['access_tokens', { ...token, token_hash: 'derived' }],
  ];
}

function copies(table: keyof Tables, unique: string | null, row: SqlRow, withOther: boolean): Inserted[] {
  const own: Inserted = [table, { company_id: 1, ...row }];
  if (!withOther) return [own];
  const later = table === 'transactions' ? { started_at: new Date(START + 5 * 86_400_000) } : {};
  const same = { company_id: TWIN, ...row, ...later };
  return [
    own,
    [table, { company_id: TWIN, ...shifted(row, TWIN, ['id', ...LINK_COLUMNS]) }],
    [table, unique === null ? same : { ...same, [unique]: `${String(row[unique])}x` }],
  ];
}

function linkCopies(table: keyof Tables, row: SqlRow, unlinked: SqlRow, withOther: boolean): Inserted[] {
  const own: Inserted = [table, { company_id: 1, ...row }];
  if (!withOther) return [own];
  return [
    own,
    [table, { company_id: TWIN, ...shifted(row, TWIN, LINK_COLUMNS) }],
    [table, { company_id: TWIN, ...unlinked }],
    [table, { company_id: TWIN, ...row }],
  ];
}

function chunks(withOther: boolean): Inserted[] {
  const chunk = { content_id: 1, sequence: 0, bytes: Buffer.from('b') };
  const own: Inserted = ['content_chunks', { company_id: 1, ...chunk }];
  if (!withOther) return [own];
  return [
    own,
    ['content_chunks', { company_id: TWIN, ...shifted(chunk, TWIN, LINK_COLUMNS) }],
    ['content_chunks', { company_id: TWIN, ...chunk, sequence: 1 }],
  ];
}

const ONLY_OF_OTHER: readonly Inserted[] = [
  // With the serial number of the device of the first company.
  ['unknown_terminals', { company_id: TWIN, id: 3, serial_number: 'S' }],
  ['devices', { company_id: TWIN, id: 30, serial_number: 'S30', enabled: true, logical_number_id: 3 }],
  ...[
    { id: 3, notification_id: 101, logical_number_id: 1, ...FAILED, finished_at: new Date(1) },
    { id: 1, notification_id: 100, logical_number_id: 1, ...DUE },
    { id: 2, notification_id: 100, logical_number_id: 2, ...DUE },
  ].map((row): Inserted => [
    'notification_deliveries',
    { company_id: TWIN, ...row, lane: row.logical_number_id, sequence: row.id, attempts: 0 },
  ]),
];

/** Tokens and refusals of devices; the other company has them also for the number of the first one's device. */
function ofDevices(withOther: boolean): Inserted[] {
  const first = { company_id: 1, device_id: 1 };
  const others = [TWIN + 1, 1].map((device_id) => ({ company_id: TWIN, device_id }));
  return [first, ...(withOther ? others : [])].flatMap((of): Inserted[] => {
    const hash = `${of.company_id} ${of.device_id}`;
    return [
      ['device_tokens', { ...of, token_hash: hash, issued_by: 1 }],
      ['terminal_refusals', { ...of, code: 'terminal_disabled' }],
      ['terminal_files', { ...of, name: 'params.dat', crc: '31C3' }],
      ['terminal_versions', { ...of, app_version_id: 15, state: 'installed', attempts: 1 }],
      ['device_numbers', { ...of, number: hash }],
      // Only the other company has a version with this id.
      ['terminal_versions', { ...of, app_version_id: TWIN + 12, state: 'failed', attempts: 1 }],
    ];
  });
}

/** All rows of the first company, or of the other one. */
export async function rowsOfCompany(
  { sql }: { readonly sql: (text: string) => Promise<unknown[]> },
  whose: 'first' | 'other',
): Promise<unknown> {
  const tables = [
    ...ROWS,
    ...LINKS,
    ['content_chunks'],
    ['device_tokens'],
    ['device_presence'],
    ['terminal_refusals'],
    ['terminal_files'],
    ['terminal_versions'],
    ['device_numbers'],
    ['counters'],
  ] as const;
  const condition = whose === 'first' ? '= 1' : '<> 1';
  const rows: unknown[] = [];
  for (const [table] of tables) {
    const found = await sql(`select * from ${table} where company_id ${condition} order by 1, 2, 3`);
    rows.push([table, found]);
  }
  return rows;
}
