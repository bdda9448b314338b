import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDatabase } from '../../../src/database/open.js';
import { adminUrlOf, runAll, startPostgres, type OwnServer } from '../../support/postgres/boot.js';

let server: OwnServer;

beforeAll(async () => {
  server = await startPostgres();
  for (const name of ['first', 'second']) {
    const role = `create role ${name} login createrole password '${name}'`;
    await runAll(server.adminUrl, [role, `create database ${name} owner ${name}`]);
    await (await openDatabase({ server: urlOf(name, name) })).close();
  }
});
afterAll(() => server.stop());

function urlOf(user: string, database: string): string {
  const url = new URL(server.adminUrl);
  url.username = user;
  url.password = user;
  url.pathname = `/${database}`;
  return url.href;
}

const bySecond = (database: string, statement: string) => runAll(urlOf('second', database), [statement]);

describe('RU-59 two installations in one cluster: the user of the second one', () => {
  it('cannot connect to the database of the first one', async () => {
    await expect(bySecond('first', 'select 1')).rejects.toThrow('permission denied for database "first"');
    await expect(openDatabase({ server: urlOf('second', 'first') })).rejects.toThrow(
      'an administrator must grant connect on it',
    );
  });

  it.each(['first_company', 'first_system', 'first'])(
    'cannot set or grant itself the role %s',
    async (role) => {
      await expect(bySecond('second', `set role ${role}`)).rejects.toThrow('permission denied to set role');
      const granted = bySecond('second', `grant ${role} to second`);
      await expect(granted).rejects.toThrow('permission denied to grant role');
    },
  );

  it('reads and changes no table of the first one, even where it may connect', async () => {
    await runAll(server.adminUrl, ['grant connect on database first to second']);
    try {
      const set = bySecond('first', 'set role first_system');
      await expect(set).rejects.toThrow('permission denied to set role');
      const tables = await bySecond(
        'first',
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
      );
      expect(tables.length).toBeGreaterThan(30);
      for (const name of tables.map((table) => String(table.name))) {
        for (const statement of [`select 1 from ${name}`, `delete from ${name}`, `truncate ${name}`]) {
          await expect(bySecond('first', statement), statement).rejects.toThrow('permission denied for');
        }
      }
      const update = bySecond('first', "update companies set name = 'x'");
      await expect(update).rejects.toThrow('permission denied for');
      const opened = openDatabase({ server: urlOf('second', 'first') });
      await expect(opened).rejects.toThrow('its tables belong to first');
    } finally {
      await runAll(server.adminUrl, ['revoke connect on database first from second']);
    }
  });

  it('has roles of its own, whose rights its user does not inherit', async () => {
    const rows = await runAll(server.adminUrl, [
      `select u.rolname as user, string_agg(r.rolname, ' ' order by r.rolname) as roles
        from pg_roles as u join pg_roles as r on pg_has_role(u.oid, r.oid, 'set') and r.oid <> u.oid
        where u.rolname in ('first', 'second') and not pg_has_role(u.oid, r.oid, 'usage') group by 1 order by 1`,
    ]);
    expect(rows).toEqual([
      { user: 'first', roles: 'first_company first_system' },
      { user: 'second', roles: 'second_company second_system' },
    ]);
  });

  it('closes a database again that every user of the server may connect to', async () => {
    const url = urlOf('first', 'first');
    await runAll(adminUrlOf(server, url), ['grant connect on database first to public']);
    await (await openDatabase({ server: url })).close();
    await expect(bySecond('first', 'select 1')).rejects.toThrow('permission denied for database');
  });
});
