import Sqlite from 'better-sqlite3';

/** Rows of the other company have ids from here on: copies of those of the first, with links among themselves. */
export const TWIN = 7_770_000;
/** Other copies, whose links still lead to the first company's records; foreign keys would forbid them. */
const CROSSED = 8_880_000;

export type Row = Readonly<Record<string, string | number | null>>;

const audit = { revision: 1, created_at: 5, updated_at: 5, created_by: null, created_via: 'api' };
export const START = 10 * 86_400_000 + 3_600_000;

/** What the first company has. Group 2 and version 12 are not linked: only foreign links lead to them. */
const ROWS: readonly (readonly [table: string, unique: string | null, rows: readonly Row[]])[] = [
  ['groups', 'name', [1, 2].map((id) => ({ id, name: `group ${id}`, ...audit }))],
  ['logical_numbers', 'number', [{ id: 1, number: 'N', group_id: 1, ...audit }]],
  [
    'devices',
    'serial_number',
    [
      {
        id: 1,
        serial_number: 'S',
        enabled: 1,
        logical_number_id: 1,
        meta: '{}',
        framework_version: null,
        ...audit,
      },
    ],
  ],
  [
    'apps',
    'name',
    [{ id: 1, name: 'A.posxml', communication_format: 'http', kind: 'module', language: 'posxml', ...audit }],
  ],
  ['contents', null, [{ id: 1, size: 1, crc: '0000', sha256: 'sum', created_at: 5, released_at: null }]],
  [
    'app_versions',
    'number',
    [11, 12].map((id) => ({
      ...{
        id,
        app_id: 1,
        number: `${id}`,
        displayable: 0,
        uuid: 'uuid',
        content_id: null,
        size: 0,
        crc: '0000',
      },
      ...audit,
    })),
  ],
  [
    'files',
    'name',
    [{ id: 1, name: 'F', file_type: 'asset', content_id: 1, size: 1, crc: '0000', ...audit }],
  ],
  ['parameters', 'key', [{ id: 1, group_id: 1, key: 'K', value: 'V', ...audit }]],
  ['metacontents', 'key', [{ id: 1, logical_number_id: 1, key: 'K', value: '1', ...audit }]],
  [
    'notifications',
    null,
    [{ id: 1, content: 'SHOW|x', range: 'group', kind: 'show', group_id: 1, expires_at: 9, ...audit }],
  ],
  [
    'transactions',
    'reference',
    [
      {
        ...{
          id: 1,
          transaction_type: 'switch',
          serial_number: 'S',
          logical_number: 'N',
          app_name: 'A.posxml',
        },
        ...{
          detail: '',
          status: 'success',
          amount: 5,
          payment_outcome: 'approved',
          reference: 'R',
          started_at: START,
          finished_at: START,
          recorded_at: START,
        },
      },
    ],
  ],
];

const LINKS: readonly (readonly [table: string, row: Row, unlinked: Row])[] = [
  ['app_version_groups', { app_version_id: 11, group_id: 1 }, { app_version_id: 12, group_id: 2 }],
  ['app_version_modules', { app_version_id: 12, module_id: 11 }, { app_version_id: 11, module_id: 12 }],
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
  'app_id',
  'content_id',
  'app_version_id',
  'module_id',
  'file_id',
];

function shifted(row: Row, by: number, columns: readonly string[]): Row {
  const shift = ([name, value]: [string, string | number | null]): [string, string | number | null] =>
    columns.includes(name) && value !== null ? [name, Number(value) + by] : [name, value];
  return Object.fromEntries(Object.entries(row).map(shift));
}

function insertInto(database: Sqlite.Database, table: string, row: Row): void {
  const names = Object.keys(row);
  database
    .prepare(`insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`)
    .run(Object.values(row));
}

/** Adds a row with links that foreign keys forbid. */
export function insertForbidden(file: string, table: string, row: Row): void {
  const database = new Sqlite(file);
  database.pragma('foreign_keys = off');
  insertInto(database, table, row);
  database.close();
}

/** Fills an empty database with the first company, and with the other one. */
export function seedCompanies(file: string, withOther: boolean): void {
  const database = new Sqlite(file);
  database.pragma('foreign_keys = off');
  const insert = (table: string, row: Row): void => insertInto(database, table, row);
  const people = (company: number): void => {
    insert('companies', { id: company, name: `company ${company}`, created_at: 5, updated_at: 5 });
    const user = {
      id: company,
      email: `${company}@example`,
      name: 'user',
      time_zone: 'UTC',
      password_hash: '',
    };
    insert('users', {
      ...user,
      sign_in_count: 0,
      failed_sign_ins: 0,
      revision: 1,
      created_at: 5,
      updated_at: 5,
    });
    insert('memberships', { company_id: company, user_id: company, role: 'admin', created_at: 5 });
    const token = {
      id: company,
      company_id: company,
      user_id: company,
      kind: 'named',
      name: 't',
      scopes: '[]',
    };
    insert('access_tokens', { ...token, token_hash: `${company}`, last_four: '0000', created_at: 5 });
  };
  people(1);
  if (withOther) people(TWIN);
  // A user of both companies, with another role.
  if (withOther) {
    insert('memberships', { company_id: TWIN, user_id: 1, role: 'viewer', created_at: 5 });
    const token = { id: CROSSED, company_id: TWIN, user_id: 1, kind: 'derived', nonce: 'n', scopes: '[]' };
    insert('access_tokens', { ...token, token_hash: 'derived', last_four: '0000', created_at: 5 });
  }
  for (const [table, unique, rows] of ROWS) {
    for (const row of rows) {
      insert(table, { company_id: 1, ...row });
      if (!withOther) continue;
      insert(table, { company_id: TWIN, ...shifted(row, TWIN, ['id', ...LINK_COLUMNS]) });
      const crossed = { company_id: TWIN, ...shifted(row, CROSSED, ['id']) };
      insert(table, unique === null ? crossed : { ...crossed, [unique]: `${String(row[unique])}x` });
    }
  }
  for (const [table, row, unlinked] of LINKS) {
    insert(table, { company_id: 1, ...row });
    if (!withOther) continue;
    insert(table, { company_id: TWIN, ...shifted(row, TWIN, LINK_COLUMNS) });
    insert(table, { company_id: TWIN, ...unlinked });
    insert(table, { company_id: TWIN, ...row });
  }
  const chunk = { content_id: 1, sequence: 0, bytes: 'b' };
  insert('content_chunks', { company_id: 1, ...chunk });
  if (withOther) {
    insert('content_chunks', { company_id: TWIN, ...shifted(chunk, TWIN, LINK_COLUMNS) });
    insert('content_chunks', { company_id: TWIN, ...chunk, sequence: 1 });
  }
  database.exec('update sqlite_sequence set seq = 9000000');
  database.close();
}

/** All rows whose company meets the condition, for example `<> 1`. */
export function rowsWhereCompany(file: string, condition: string): unknown {
  const database = new Sqlite(file, { readonly: true });
  const tables = [...ROWS, ...LINKS, ['content_chunks'], ['notification_deliveries'], ['counters']] as const;
  const rows = tables.map(([table]) => [
    table,
    database.prepare(`select * from ${table} where company_id ${condition} order by 1, 2, 3`).all(),
  ]);
  database.close();
  return rows;
}
