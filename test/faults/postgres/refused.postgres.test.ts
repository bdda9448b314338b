import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminUrlOf, FAST, faultyPostgres, runAll, type OwnServer } from '../../support/postgres/boot.js';
import { runCommand, runProgram, type Outcome } from '../../support/program.js';
import { addCompany } from './gateway.js';

let server: OwnServer;
beforeAll(async () => {
  server = await faultyPostgres(FAST);
  await server.admin("create role plain login password 'plain'", 'create database plain owner plain');
});
afterAll(() => server.stop());

/** The URL of the owner of the tables, with other parts. */
const urlWith = (parts: Partial<Pick<URL, 'username' | 'password' | 'hostname' | 'pathname'>>): string =>
  Object.assign(new URL(server.url), parts).href;

const PLAIN = { username: 'plain', password: 'plain' };

/** `serve` and a command end with 78 and one line with these texts; nothing is written to standard output. */
async function expectRefused(url: string, ...texts: string[]): Promise<void> {
  for (const command of [['serve'], ['user', 'list']]) expectLine(await runCommand(command, url), texts);
}

function expectLine({ code, stdout, stderr }: Outcome, texts: readonly string[]): void {
  expect([code, stdout.replaceAll(/^.*"level":"info".*\n/gm, '')], stderr).toEqual([78, '']);
  for (const text of texts) expect(stderr).toContain(text);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).not.toContain(new URL(server.url).password);
}

describe('CF-39 what is wrong with a PostgreSQL database ends the start with one line', () => {
  it.each<[string, () => string, readonly string[]]>([
    [
      'a URL that cannot be parsed',
      () => 'postgres://gateway:secret@:port/',
      ['DATABASE_URL', 'is not a URL'],
    ],
    ['a wrong password', () => urlWith({ password: 'wrong' }), ['the password or the user is wrong']],
  ])('%s, of the built program too', async (_what, url, texts) => {
    await expectRefused(url(), ...texts);
    expectLine(await runProgram(['serve'], url()), texts);
  });

  const notSupported = ['several hosts', 'not supported'];
  it.each<[string, () => string, readonly string[]]>([
    ['a URL without a password', () => urlWith({ password: '' }), ['set DATABASE_PASSWORD_FILE']],
    ['a URL without a user', () => 'postgres://127.0.0.1/gateway', ['must name a user']],
    ['TLS that the server has not', () => `${server.url}?sslmode=require`, ['does not support SSL']],
    [
      'an unknown sslmode',
      () => `${server.url}?sslmode=required`,
      ['has the sslmode required: use one of disable,'],
    ],
    ['hosts with ports', () => server.url.replace(/@([^/]*)/, '@$1,127.0.0.2:5432'), notSupported],
    ['several hosts', () => server.url.replace('127.0.0.1', '127.0.0.1,127.0.0.2'), notSupported],
    [
      'an unknown parameter',
      () => `${server.url}?target_session_attrs=read-write`,
      ['has the parameter target_session_attrs, which is not supported'],
    ],
    ['an unknown host', () => urlWith({ hostname: 'nowhere..invalid' }), ['there is no such host']],
    [
      'a database that does not exist',
      () => urlWith({ pathname: '/elsewhere' }),
      ['there is no such database', 'createdb'],
    ],
  ])('%s', async (_what, url, texts) => {
    await expectRefused(url(), ...texts);
  });

  it.each(['p/w', 'p?w', 'p#w', 'p%w', '1/2', '1?2', '1#2'])(
    'a password %s that is not encoded',
    async (part) => {
      const url = `postgres://gateway:secret${part}secret@127.0.0.1:5432/gateway`;
      await expectRefused(url, 'DATABASE_URL', 'In a password, write / ? # and %');
      const { stderr } = await runCommand(['user', 'list'], url);
      expect(stderr).not.toContain('secret');
    },
  );

  it('a file of a certificate that is missing', async () => {
    for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
      await expectRefused(
        `${server.url}?${name}=/nowhere/ca.pem`,
        name,
        '/nowhere/ca.pem cannot be read (the folder /nowhere does not exist)',
      );
    }
  });

  it('a database that the user may not connect to', async () => {
    await server.admin('create database closed', 'revoke connect on database closed from public');
    await expectRefused(urlWith({ pathname: '/closed' }), 'must grant connect');
  });

  it('a version below 15', async () => {
    const { url, server: old } = await oldServer(140_011, '14.11');
    await expectRefused(url, 'is PostgreSQL 14.11; 15 or later is needed');
    old.close();
  });

  it('a user who may not create roles', async () => {
    await expectRefused(
      urlWith({ ...PLAIN, pathname: '/plain' }),
      'No table was changed',
      'create role "plain_company" nologin; create role "plain_system" nologin;',
      'create role "plain_units" nologin noinherit; grant "plain_company", "plain_system" to "plain_units";',
      'grant "plain_units" to plain;',
    );
    const tables = await runAll(urlWith({ ...PLAIN, pathname: '/plain' }), [
      "select tablename from pg_tables where schemaname = 'public'",
    ]);
    expect(tables).toEqual([]);
  });

  it('a user who may not create tables', async () => {
    await server.admin('create database tableless');
    const closing =
      'grant connect on database tableless to gateway_owner, "tableless_system"; revoke all on database tableless from public;';
    const extensions = ['create extension if not exists pg_trgm', 'create extension if not exists btree_gin'];
    const tableless = urlWith({ pathname: '/tableless' });
    await expectRefused(tableless, 'No table was changed', extensions.join('; '), closing);
    await runAll(adminUrlOf(server, tableless), extensions);
    await server.admin(...closing.split('; '));
    await expectRefused(
      urlWith({ pathname: '/tableless' }),
      'Nothing was changed',
      'grant usage, create on schema public to gateway_owner;',
    );
  });

  it('tables of another user', async () => {
    await addCompany(server.url);
    await expectRefused(urlWith(PLAIN), 'must grant connect');
    await server.admin('grant connect on database gateway to plain');
    await expectRefused(urlWith(PLAIN), 'its tables belong to gateway_owner');
  });

  it('CF-14 a newer schema', async () => {
    await runAll(server.url, [
      "insert into applied_migrations (name, needs) values ('9999-future', '9999-future')",
    ]);
    await expectRefused(server.url, 'made by a newer version', '9999-future');
    await runAll(server.url, ["delete from applied_migrations where name = '9999-future'"]);
  });

  it('tables of another program', async () => {
    await server.admin('create database other owner gateway_owner');
    const other = urlWith({ pathname: '/other' });
    await runAll(other, ['create table shop (id int)']);
    await expectRefused(other, 'has tables of another program');
  });
});

/** Answers every statement like a PostgreSQL of this version, for example 140011. Resolves to its URL. */
async function oldServer(version: number, name: string): Promise<{ url: string; server: Server }> {
  const server = createServer((socket) => {
    let isStarted = false;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (!isStarted) socket.write(Buffer.concat([message('R', int(0, 4)), READY]));
      else if (bytes.toString('latin1', 0, 1) === 'Q') socket.write(answer(String(version), name));
      isStarted = true;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `postgres://gateway:none@127.0.0.1:${port}/gateway`, server };
}

function int(value: number, bytes: 2 | 4): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, 0, bytes);
  return buffer;
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int(body.length + 4, 4), body]);
}

const READY = message('Z', Buffer.from('I'));
const TEXT_TYPE = 25;

function answer(...values: readonly [number: string, name: string]): Buffer {
  const columns = ['number', 'name'].flatMap((name) => [
    text(name),
    int(0, 4),
    int(0, 2),
    int(TEXT_TYPE, 4),
    int(-1, 2),
    int(-1, 4),
    int(0, 2),
  ]);
  const cells = values.flatMap((value) => [int(Buffer.byteLength(value), 4), Buffer.from(value)]);
  const [description, row] = [message('T', int(2, 2), ...columns), message('D', int(2, 2), ...cells)];
  return Buffer.concat([description, row, message('C', text('SELECT 1')), READY]);
}
