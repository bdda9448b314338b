import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDatabase } from '../../../src/database/open.js';
import { adminUrlOf, startPostgres, type OwnServer } from '../../support/postgres/boot.js';
import { connectTo } from '../../support/postgres/schema.js';

let server: OwnServer;

beforeAll(async () => {
  server = await startPostgres();
  for (const name of ['first', 'second']) {
    await asAdmin(`create role ${name} login createrole password '${name}'`);
    await asAdmin(`create database ${name} owner ${name}`);
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

async function asAdmin(statement: string, url = server.adminUrl): Promise<void> {
  const { run, close } = await connectTo(url);
  try {
    await run(statement);
  } finally {
    await close();
  }
}

describe('RU-59 two installations in one cluster: the user of the second one', () => {
  it('cannot connect to the database of the first one', async () => {
    await expect(connectTo(urlOf('second', 'first'))).rejects.toThrow(
      'permission denied for database "first"',
    );
    await expect(openDatabase({ server: urlOf('second', 'first') })).rejects.toThrow(
      'an administrator must grant connect on it',
    );
  });

  it.each(['first_company', 'first_system', 'first'])(
    'cannot set or grant itself the role %s',
    async (role) => {
      const { run, close } = await connectTo(urlOf('second', 'second'));
      try {
        await expect(run(`set role ${role}`)).rejects.toThrow('permission denied to set role');
        await expect(run(`grant ${role} to second`)).rejects.toThrow('permission denied to grant role');
      } finally {
        await close();
      }
    },
  );

  it('reads and changes no table of the first one, even where it may connect', async () => {
    await asAdmin('grant connect on database first to second');
    const { run, close } = await connectTo(urlOf('second', 'first'));
    try {
      await expect(run('set role first_system')).rejects.toThrow('permission denied to set role');
      const tables = await run<{ name: string }>(
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
      );
      expect(tables.length).toBeGreaterThan(30);
      for (const { name } of tables) {
        for (const statement of [`select 1 from ${name}`, `delete from ${name}`, `truncate ${name}`]) {
          await expect(run(statement), statement).rejects.toThrow('permission denied for');
        }
      }
      await expect(run("update companies set name = 'x'")).rejects.toThrow('permission denied for');
      await expect(openDatabase({ server: urlOf('second', 'first') })).rejects.toThrow(
        'its tables belong to first',
      );
    } finally {
      await close();
      await asAdmin('revoke connect on database first from second');
    }
  });

  it('has roles of its own, whose rights its user does not inherit', async () => {
    const { run, close } = await connectTo(server.adminUrl);
    const rows = await run(
      `select u.rolname as user, array_agg(r.rolname::text order by r.rolname) as roles
        from pg_roles as u join pg_roles as r on pg_has_role(u.oid, r.oid, 'set') and r.oid <> u.oid
        where u.rolname in ('first', 'second') and not pg_has_role(u.oid, r.oid, 'usage') group by 1 order by 1`,
    );
    await close();
    expect(rows).toEqual([
      { user: 'first', roles: ['first_company', 'first_system'] },
      { user: 'second', roles: ['second_company', 'second_system'] },
    ]);
  });

  it('closes a database again that every user of the server may connect to', async () => {
    await asAdmin('grant connect on database first to public', adminUrlOf(server, urlOf('first', 'first')));
    await (await openDatabase({ server: urlOf('first', 'first') })).close();
    await expect(connectTo(urlOf('second', 'first'))).rejects.toThrow('permission denied for database');
  });
});
