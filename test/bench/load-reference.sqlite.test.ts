import Sqlite from 'better-sqlite3';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { databaseTools } from '../../src/database/open.js';
import { createClient } from '../support/client.js';
import { testConfig } from '../support/config.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';
import { openServer } from '../support/server.js';
import { loadReference } from './load-reference.js';

const folder = scratchFolder();
afterAll(() => removeFolder(folder));

/** A small data set in the tables of the reference servers. */
const REFERENCE = `
  create table companies (id integer primary key, name text);
  create table users (id integer primary key, company_id integer, email text, name text, role text);
  create table groups (id integer primary key, company_id integer, name text, created_at text);
  create table logical_numbers (id integer primary key, company_id integer, group_id integer, number text, created_at text);
  create table devices (id integer primary key, company_id integer, serial_number text, enabled integer, meta text,
    framework_version text, updated_at text, created_at text, created_by text, created_via text);
  create table apps (id integer primary key, company_id integer, name text);
  create table app_versions (id integer primary key, app_id integer, version text, created_at text);
  create table files (id integer primary key, name text, crc text, size integer);
  create table group_app_versions (id integer primary key, group_id integer, app_version_id integer);
  create table logical_number_app_versions (id integer primary key, logical_number_id integer, app_version_id integer);
  create table app_version_files (id integer primary key, app_version_id integer, file_id integer);
  create table transactions (id integer primary key, company_id integer, serial_number text, logical_number text,
    app_name text, status text, type text, amount integer, currency text, message text, created_at text);
  insert into companies values (1, 'Company 1'), (2, 'Company 2');
  insert into users values (1, 1, 'user1@example.com', 'User 1', 'admin'), (2, 2, 'user2@example.com', 'User 2', 'user');
  insert into groups values (1, 1, 'South', '2026-08-22T00:00:00.000Z');
  insert into logical_numbers values (1, 1, 1, '0001', '2026-08-22T00:00:00.000Z'), (2, 1, 1, '0002', '2026-08-22T00:00:00.000Z');
  insert into devices values
    (1, 1, 'SN-1', 1, '{"os":"8"}', '8.1', '2026-08-23T00:00:00.000Z', '2026-08-22T00:00:00.000Z', 'user1@example.com', 'web'),
    (2, 1, 'SN-2', 0, '{}', '8.1', '2026-08-23T00:00:00.000Z', '2026-08-22T00:00:00.000Z', 'user1@example.com', 'api');
  insert into apps values (1, 1, 'Payments');
  insert into app_versions values (1, 1, '1.0', '2026-08-22T00:00:00.000Z');
  insert into files values (1, 'logo.png', 'A1B2', 10);
  insert into group_app_versions values (1, 1, 1);
  insert into logical_number_app_versions values (1, 1, 1), (2, 2, 1);
  insert into app_version_files values (1, 1, 1);
  insert into transactions values
    (1, 1, 'SN-1', '0001', 'Payments', 'success', 'sale', 12345, 'EUR', 'ok', '2026-08-22T10:00:00.250Z'),
    (2, 1, 'SN-1', '0001', 'Payments', 'pending', 'sale', 5, 'EUR', 'waits', '2026-08-23T10:00:00.000Z'),
    (3, 2, 'SN-9', '0009', 'Other', 'fail', 'refund', 7, 'EUR', 'no', '2026-08-23T10:00:00.000Z');`;

describe('the reference data set', () => {
  it('becomes a sound database that a server serves and adds to', async () => {
    const [reference, target] = [join(folder, 'reference.sqlite'), join(folder, 'loaded.db')];
    new Sqlite(reference).exec(REFERENCE).close();
    const token = 'a1'.repeat(20);
    const rows = await loadReference(reference, target, token);
    expect(rows.get('transactions')).toBe(3);

    const { database } = testConfig(`file:${target}`);
    expect((await (await databaseTools(database)).check()).problems).toEqual([]);

    const server = await openServer(`file:${target}`);
    const client = createClient(await server.start(), token);
    const devices = await client.get('devices');
    expect(devices.list('devices').map(({ id, serial_number }) => [id, serial_number])).toEqual([
      [1, 'SN-1'],
      [2, 'SN-2'],
    ]);
    const transactions = await client.get('transactions');
    expect(transactions.list('transactions')).toHaveLength(2);
    const created = await client.post('devices', { serial_number: 'SN-3' });
    expect(created.record('device').id).toBe(3);
    await server.stop();
  });
});
