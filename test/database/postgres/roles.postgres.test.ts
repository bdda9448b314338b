import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { COMPANY_ROLE, SYSTEM_ROLE } from '../../../src/database/postgres/schema/index.js';
import {
  createDatabase,
  dropDatabase,
  startPostgres,
  type BootedServer,
} from '../../support/postgres/boot.js';
import { addRecords } from '../../support/postgres/records.js';
import { connectTo, createSchemaIn, schemaDatabase } from '../../support/postgres/schema.js';

const database = schemaDatabase();
const ROLES = `('${COMPANY_ROLE}', '${SYSTEM_ROLE}')`;

describe('the roles', () => {
  it('cannot log in, bypass row-level security, or create anything', async () => {
    const rows = await database.owner(
      `select rolcanlogin or rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication as strong
        from pg_roles where rolname in ${ROLES}`,
    );
    expect(rows).toEqual([{ strong: false }, { strong: false }]);
    const members = await database.owner(
      `select 1 from pg_auth_members join pg_roles as r on r.oid = member where r.rolname in ${ROLES}`,
    );
    expect(members).toEqual([]);
    const [schema] = await database.owner(
      `select has_schema_privilege('${COMPANY_ROLE}', 'public', 'create') or
        has_schema_privilege('${SYSTEM_ROLE}', 'public', 'create') as creates`,
    );
    expect(schema).toEqual({ creates: false });
  });

  it('own nothing', async () => {
    const owned = await database.admin(
      `select classid::regclass, objid from pg_shdepend join pg_roles as r on r.oid = refobjid
        where deptype = 'o' and r.rolname in ${ROLES}`,
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
    const rights = (role: string) => rows.filter((row) => row.role === role);
    expect(new Set(rows.map(({ role }) => role))).toEqual(new Set([COMPANY_ROLE, SYSTEM_ROLE]));
    expect(
      rights(COMPANY_ROLE).map((row) => (row.tables.length > 20 ? { ...row, tables: 'others' } : row)),
    ).toEqual([
      { role: COMPANY_ROLE, rights: 'DELETE INSERT SELECT UPDATE', tables: 'others' },
      { role: COMPANY_ROLE, rights: 'INSERT SELECT', tables: ['ledger'] },
      { role: COMPANY_ROLE, rights: 'SELECT', tables: ['members', 'prunings'] },
      { role: COMPANY_ROLE, rights: 'SELECT UPDATE', tables: ['companies'] },
    ]);
    expect(
      rights(SYSTEM_ROLE).map((row) => (row.tables.length > 20 ? { ...row, tables: 'others' } : row)),
    ).toEqual([
      { role: SYSTEM_ROLE, rights: 'DELETE INSERT SELECT', tables: ['ledger'] },
      { role: SYSTEM_ROLE, rights: 'DELETE INSERT SELECT UPDATE', tables: 'others' },
      { role: SYSTEM_ROLE, rights: 'SELECT', tables: ['members'] },
    ]);
  });
});

describe('the ledger', () => {
  beforeAll(() => addRecords(database.owner));

  it.each(["update ledger set action = 'x'", 'delete from ledger', 'truncate ledger'])(
    'refuses %s, whoever runs it',
    async (statement) => {
      for (const run of [database.owner, database.admin]) {
        await expect(run(statement)).rejects.toThrow('ledger can only be added to');
      }
      for (const role of [COMPANY_ROLE, SYSTEM_ROLE]) {
        await database.owner('begin');
        await database.owner(`select set_config('app.company_id', '1', true)`);
        await database.owner(`set local role ${role}`);
        // Retention deletes, but only what it has noted.
        const isRight = role === SYSTEM_ROLE && statement.startsWith('delete');
        const reason = isRight ? 'ledger can only be added to' : 'permission denied for table ledger';
        await expect(database.owner(statement)).rejects.toThrow(reason);
        await database.owner('rollback');
      }
      expect(await database.owner('select 1 from ledger')).toHaveLength(3);
    },
  );
});

describe('creating the roles', () => {
  let server: BootedServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  const asAdmin = async (statement: string): Promise<void> => {
    const { run, close } = await connectTo(server.adminUrl);
    try {
      await run(statement);
    } finally {
      await close();
    }
  };

  it('tells what an administrator must run if the user may not create them', async () => {
    await asAdmin("create role bare login password 'bare'");
    const owner = new URL(server.ownerUrl);
    owner.username = 'bare';
    owner.password = 'bare';
    const url = await createDatabase({ ...server, ownerUrl: owner.href });
    const advice = async (): Promise<string> => {
      const error: unknown = await createSchemaIn(url).catch((thrown: unknown) => thrown);
      return String(error).split('An administrator of the server must run: ')[1] ?? '';
    };
    const creations = `create role ${COMPANY_ROLE} nologin; create role ${SYSTEM_ROLE} nologin;`;
    const grant = `grant ${COMPANY_ROLE}, ${SYSTEM_ROLE} to bare;`;
    expect(await advice()).toBe(`${creations} ${grant}`);
    await asAdmin(creations);
    expect(await advice()).toBe(grant);
    await asAdmin(`grant ${COMPANY_ROLE}, ${SYSTEM_ROLE} to bare with set false`);
    expect(await advice()).toBe(grant);
    await asAdmin(`revoke ${COMPANY_ROLE}, ${SYSTEM_ROLE} from bare; ${grant}`);
    await createSchemaIn(url);
    await dropDatabase(server, url);
    await asAdmin(`drop role ${COMPANY_ROLE}, ${SYSTEM_ROLE}`);
  });

  it('works for several databases of a server at the same time', async () => {
    const urls = await Promise.all(Array.from({ length: 6 }, () => createDatabase(server)));
    await Promise.all(urls.map((url) => createSchemaIn(url)));
    const { run, close } = await connectTo(urls[0] ?? '');
    const found = await run(`select rolname from pg_roles where rolname in ${ROLES}`);
    await close();
    expect(found).toHaveLength(2);
  });

  it('refuses a role that bypasses row-level security', async () => {
    const url = await createDatabase(server);
    await asAdmin(`alter role ${COMPANY_ROLE} bypassrls`);
    await expect(createSchemaIn(url)).rejects.toThrow(
      `alter role ${COMPANY_ROLE} nologin nosuperuser nobypassrls;`,
    );
    await asAdmin(`alter role ${COMPANY_ROLE} nobypassrls`);
    await createSchemaIn(url);
  });
});
