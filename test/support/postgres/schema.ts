import pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';

import { createSchema } from '../../../src/database/postgres/migrate.js';
import { prepareRoles, rolesIn, type Roles } from '../../../src/database/postgres/roles.js';
import { adminUrlOf, createDatabase, dropDatabase } from './boot.js';

/** Runs one statement; returns its rows. */
export type Run = <Row extends object = Record<string, unknown>>(
  statement: string,
  values?: readonly unknown[],
) => Promise<Row[]>;

/** Connects as the user of `url`; numbers come back as numbers, instants as milliseconds. */
export async function connectTo(
  url: string,
): Promise<{ readonly run: Run; readonly close: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: url, types: { getTypeParser: parserOf } });
  client.on('error', () => undefined);
  await client.connect();
  return {
    run: async <Row extends object>(statement: string, values: readonly unknown[] = []) =>
      (await client.query<Row>(statement, [...values])).rows,
    close: () => client.end(),
  };
}

const NUMBERS: readonly number[] = [pg.types.builtins.INT8, pg.types.builtins.NUMERIC];

function parserOf(type: number, format: 'text' | 'binary' = 'text'): (value: string) => unknown {
  return NUMBERS.includes(type)
    ? Number
    : (pg.types.getTypeParser(type, format) as (value: string) => unknown);
}

export async function createSchemaIn(url: string): Promise<Roles> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    const roles = await rolesIn(client);
    await prepareRoles(client, roles, 'test');
    await client.query('begin');
    await createSchema(client, roles);
    await client.query('commit');
    return roles;
  } finally {
    await client.end();
  }
}

/** A database with the schema, for the tests of one file. */
export class SchemaDatabase {
  readonly server = inject('postgres');
  url!: string;
  roles!: Roles;
  /** Statements of the owner, who sees no row without a role. */
  owner!: Run;
  /** Statements of a user who may do everything, and sees all rows. */
  admin!: Run;
  readonly #closing: (() => Promise<void>)[] = [];

  async open(): Promise<void> {
    this.url = await createDatabase(this.server);
    this.#closing.unshift(() => dropDatabase(this.server, this.url));
    this.roles = await createSchemaIn(this.url);
    this.owner = await this.connect(this.url);
    this.admin = await this.connect(adminUrlOf(this.server, this.url));
  }

  async connect(url: string): Promise<Run> {
    const { run, close } = await connectTo(url);
    this.#closing.unshift(close);
    return run;
  }

  async close(): Promise<void> {
    for (const close of this.#closing) await close();
  }
}

/** To be called at the top of a test file. */
export function schemaDatabase(): SchemaDatabase {
  const database = new SchemaDatabase();
  beforeAll(() => database.open());
  afterAll(() => database.close());
  return database;
}

/** Columns of a record, and values for them. */
export const AUDITED = 'revision, created_at, updated_at, created_by, created_via';
export const AUDIT = "1, now(), now(), null, 'api'";

/** Companies 1 and 2, with the member 11 and 12, and the member 13 of both. */
export async function addCompanies(run: Run): Promise<void> {
  await run(`insert into companies (id, name, created_at, updated_at)
    select id, 'company ' || id, now(), now() from generate_series(1, 2) as id`);
  await run(`insert into users (id, email, name, time_zone, password_hash, sign_in_count, failed_sign_ins, revision,
      created_at, updated_at)
    select id, id || '@example.com', '', 'UTC', 'secret', 0, 0, 1, now(), now() from generate_series(11, 13) as id`);
  await run(`insert into memberships (company_id, user_id, role, name, time_zone, revision, created_at, updated_at)
    select company, member, 'admin', '', 'UTC', 1, now(), now()
    from (values (1, 11), (2, 12), (1, 13), (2, 13)) as pair (company, member)`);
}
