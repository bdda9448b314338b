import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { prepareRoles, rolesIn, type Roles } from '../../../src/database/postgres/roles.js';
import { readDocument } from '../../documents/markdown.js';
import {
  adminUrlOf,
  createDatabase,
  dropDatabase,
  runAll,
  startPostgres,
  type OwnServer,
} from '../../support/postgres/boot.js';
import { addRecords } from '../../support/postgres/records.js';
import { createSchemaIn, schemaDatabase } from '../../support/postgres/schema.js';

const database = schemaDatabase();
beforeAll(() => addRecords(database.admin));
const ROLES = 'rolname = any($1)';
const names = (): string[][] => [[database.roles.company, database.roles.system]];

describe('the roles', () => {
  it('cannot log in, bypass row-level security, or create anything', async () => {
    const rows = await database.owner(
      `select rolcanlogin or rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication as strong
        from pg_roles where ${ROLES}`,
      names(),
    );
    expect(rows).toEqual([{ strong: false }, { strong: false }]);
    const members = await database.owner(
      `select 1 from pg_auth_members join pg_roles as r on r.oid = member where ${ROLES}`,
      names(),
    );
    expect(members).toEqual([]);
    const [schema] = await database.owner(
      `select bool_or(has_schema_privilege(oid, 'public', 'create')) as creates from pg_roles where ${ROLES}`,
      names(),
    );
    expect(schema).toEqual({ creates: false });
  });

  it('own nothing', async () => {
    const owned = await database.admin(
      `select classid::regclass, objid from pg_shdepend join pg_roles as r on r.oid = refobjid
        where deptype = 'o' and ${ROLES}`,
      names(),
    );
    expect(owned).toEqual([]);
  });

  it('have exactly the rights to read and write rows', async () => {
    const rows = await database.owner<{ role: string; rights: string; tables: string[] }>(
      `select role, rights, array_agg(name order by name)::text[] as tables from (
        select grantee as role, table_name as name, string_agg(privilege_type, ' ' order by privilege_type) as rights
        from information_schema.role_table_grants
        where table_schema = 'public' and grantee <> current_user group by 1, 2) as granted
      group by 1, 2 order by 1, 2`,
    );
    const { company, system } = database.roles;
    const rights = (role: string) =>
      rows
        .filter((row) => row.role === role)
        .map((row) => (row.tables.length > 20 ? { ...row, tables: 'others' } : row));
    expect(new Set(rows.map(({ role }) => role))).toEqual(new Set([company, system]));
    expect(rights(company)).toEqual([
      { role: company, rights: 'DELETE INSERT SELECT UPDATE', tables: 'others' },
      { role: company, rights: 'INSERT SELECT', tables: ['ledger'] },
      { role: company, rights: 'SELECT', tables: ['members', 'prunings'] },
      { role: company, rights: 'SELECT UPDATE', tables: ['companies'] },
    ]);
    expect(rights(system)).toEqual([
      { role: system, rights: 'DELETE INSERT SELECT', tables: ['ledger'] },
      { role: system, rights: 'DELETE INSERT SELECT UPDATE', tables: 'others' },
      { role: system, rights: 'SELECT', tables: ['members'] },
    ]);
  });
});

describe('the ledger', () => {
  it.each(["update ledger set action = 'x'", 'delete from ledger', 'truncate ledger'])(
    'refuses %s, whoever runs it',
    async (statement) => {
      await expect(database.admin(statement)).rejects.toThrow('ledger can only be added to');
      const { company, system } = database.roles;
      for (const role of [company, system]) {
        await database.owner('begin');
        await database.owner(`select set_config('app.company_id', '1', true)`);
        await database.owner(`set local role ${role}`);
        // Retention deletes, but only what it has noted.
        const isRight = role === system && statement.startsWith('delete');
        const reason = isRight ? 'ledger can only be added to' : 'permission denied for table ledger';
        await expect(database.owner(statement)).rejects.toThrow(reason);
        await database.owner('rollback');
      }
      expect(await database.admin('select 1 from ledger')).toHaveLength(3);
    },
  );
});

describe('a user for tools, made as src/docs/operate/postgresql.md says', () => {
  it('sees the rows of all companies, changes nothing, and reads no secret', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const reader = `${name}_analyst`;
    const [, statements = ''] =
      /^```sql\n(create role analyst[^]*?)^```/m.exec(readDocument('src/docs/operate/postgresql.md')) ?? [];
    const here = statements.replaceAll('analyst', reader).replace('terminal_gateway', name);
    for (const statement of here.trim().split('\n')) await database.admin(statement);
    const url = new URL(database.url);
    [url.username, url.password] = [reader, 'PASSWORD'];
    const run = await database.connect(url.href);
    try {
      expect((await run('select distinct company_id from groups')).length).toBeGreaterThan(1);
      const tables = await run<{ name: string }>(
        "select tablename as name from pg_tables where schemaname = 'public'",
      );
      expect(tables.length).toBeGreaterThan(30);
      for (const { name: table } of tables) {
        const changes = [
          'insert into # default values',
          'delete from #',
          'truncate #',
          'alter table # disable row level security',
        ];
        for (const change of changes)
          await expect(run(change.replace('#', table)), table).rejects.toThrow(
            /permission denied|must be owner/,
          );
      }
      for (const text of [
        'create table own ()',
        'create temp table own ()',
        `set role ${database.roles.system}`,
      ])
        await expect(run(text)).rejects.toThrow('permission denied');
      const secrets =
        await run(`select table_name from information_schema.columns where table_schema = 'public'
        and column_name ~ '(token|password|code|old)_hash|nonce|secret|public_key'
        and has_column_privilege(current_user, quote_ident(table_name), column_name, 'select')`);
      expect(secrets).toEqual([]);
    } finally {
      await database.admin(`drop owned by ${reader}`);
      await database.admin(`drop role ${reader}`);
    }
  });
});

describe('creating the roles', () => {
  let server: OwnServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  const asAdmin = (statement: string, url = server.adminUrl) => runAll(url, [statement]);

  /** A new database of a user who may not create roles. */
  async function bareDatabase(): Promise<{ url: string; name: string; admin: typeof asAdmin }> {
    const owner = new URL(server.ownerUrl);
    owner.username = 'bare';
    owner.password = 'bare';
    const url = await createDatabase({ adminUrl: server.adminUrl, ownerUrl: owner.href });
    return {
      url,
      name: new URL(url).pathname.slice(1),
      admin: (text) => asAdmin(text, adminUrlOf(server, url)),
    };
  }

  const adviceOf = async (url: string): Promise<string> => {
    const error: unknown = await createSchemaIn(url).catch((thrown: unknown) => thrown);
    return String(error).split('An administrator of the server must run in this database: ')[1] ?? '';
  };

  it('tells what an administrator must run if the user may not create them', async () => {
    await asAdmin("create role bare login password 'bare'");
    const { url, name, admin } = await bareDatabase();
    const roles = `"${name}_company", "${name}_system"`;
    const creations = `create role "${name}_company" nologin; create role "${name}_system" nologin;`;
    const units = `create role "${name}_units" nologin noinherit;`;
    const grant = `grant ${roles} to "${name}_units"; grant "${name}_units" to bare;`;
    const usage = `grant usage on schema public to ${roles};`;
    const closed = `grant connect on database ${name} to "${name}_system"; revoke all on database ${name} from public;`;
    expect(await adviceOf(url)).toBe(`${creations} ${units} ${grant} ${usage} ${closed}`);
    await admin(creations);
    expect(await adviceOf(url)).toBe(`${units} ${grant}`);
    await admin(`${units} ${grant}`);
    await admin(`grant ${roles} to bare`);
    expect(await adviceOf(url)).toBe(`${grant} revoke ${roles} from bare;`);
    await admin(`revoke ${roles} from bare`);
    await createSchemaIn(url);
    await dropDatabase(server, url);
    await asAdmin(`drop role ${roles}, "${name}_units"`);
  });

  it('creates those of several databases of a server at the same time', async () => {
    const urls = await Promise.all(Array.from({ length: 6 }, () => createDatabase(server)));
    const created = await Promise.all(urls.flatMap((url) => [url, url]).map(rolesFor));
    expect(new Set(created.map(({ system }) => system)).size).toBe(6);
  });

  it('refuses a role that bypasses row-level security', async () => {
    const url = await createDatabase(server);
    const { company } = await rolesFor(url);
    await asAdmin(`alter role ${company} bypassrls`);
    await expect(createSchemaIn(url)).rejects.toThrow(
      `alter role "${company}" nologin nosuperuser nobypassrls;`,
    );
    await asAdmin(`alter role ${company} nobypassrls`);
    await createSchemaIn(url);
  });

  it('refuses a database whose name leaves no room for those of the roles', async () => {
    const name = 'x'.repeat(56);
    await asAdmin(`create database ${name} owner gateway_owner`);
    const url = new URL(server.ownerUrl);
    url.pathname = `/${name}`;
    await expect(createSchemaIn(url.href)).rejects.toThrow('has 56 bytes. Use at most 55');
  });

  it('makes the tables in the first schema of the search path, or says which right is missing', async () => {
    const { url, name, admin } = await bareDatabase();
    const roles = `"${name}_company", "${name}_system"`;
    await admin(`create role "${name}_company"; create role "${name}_system"`);
    await admin(
      `grant ${roles} to bare with inherit false, set true; alter database ${name} set search_path = shop`,
    );
    expect(await adviceOf(url)).toBe(
      'create schema if not exists NAME; grant usage, create on schema NAME to bare;',
    );
    await admin('create schema shop; grant usage, create on schema shop to bare');
    expect(await adviceOf(url)).toBe(`grant usage on schema shop to ${roles};`);
    await admin(`grant usage on schema shop to ${roles}`);
    await createSchemaIn(url);
  });
});

async function rolesFor(url: string): Promise<Roles> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const roles = await rolesIn(client);
    await prepareRoles(client, roles, 'test');
    return roles;
  } finally {
    await client.end();
  }
}
