import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';

import { EXPORTS } from '../../../src/app/graphql/export-lists.js';
import { createSchema } from '../../../src/app/graphql/schema.js';
import { declaredOf } from '../../../src/graphql/schema/declared.js';
import { exported } from '../../support/export.js';
import { fleet, recordAll } from '../../support/fleet.js';
import { createSampleRecords } from '../../support/sample-records.js';
import { useServer, type Member } from '../../support/server.js';
import { ACCEPTED_TIMESTAMPS, REFUSED_TIMESTAMPS } from '../../support/timestamps.js';

const server = useServer();
let viewer: Member;
beforeAll(async () => {
  viewer = await server.member('acme', 'viewer');
  await createSampleRecords(server, server.acme);
  for (let n = 1; n <= 7; n += 1) await fleet.device(server.acme.client, `SN-${n}`);
});

const names = Object.keys(EXPORTS);
/** Lists without a record in these tests. */
const EMPTY = ['commands', 'device_logs', 'unknown_terminals', 'jobs'];
const OF_ADMINS = ['members', 'tokens', 'ledger', 'webhooks'];
const ndjson = { format: 'ndjson' };

describe('the lists that can be exported', () => {
  it('are all lists of the schema', async () => {
    const schema = await createSchema();
    const lists = Object.values(schema.getQueryType()?.getFields() ?? {})
      .filter((field) => declaredOf(field)?.kind === 'list')
      .map(({ name }) => `Query.${name}`);
    const known = Object.values(EXPORTS).map(({ field }) => field);
    expect(known.toSorted()).toEqual([...lists, 'Notification.deliveries'].toSorted());
  });

  it.each(names.filter((name) => !EMPTY.includes(name)))('%s has its records in both forms', async (name) => {
    const lines = await exported(server.acme, name, ndjson);
    const table = await exported(server.acme, name);
    expect(lines.records.length).toBeGreaterThan(0);
    expect([lines.totals.count, table.totals.count]).toEqual([lines.records.length, lines.records.length]);
    // Without the totals, a strict reader finds the same rows.
    const plain = await server.acme.client.get(`/export/v1/${name}`);
    expect(parse(plain.text, { record_delimiter: '\r\n' })).toHaveLength(table.rows.length);
    const [header = [], ...rows] = table.rows;
    expect(rows).toHaveLength(lines.records.length);
    expect(rows.map((row) => row[header.indexOf('database_id')])).toEqual(
      lines.records.map((record) => String(record.database_id)),
    );
  });

  it('have a column for each value, and one for the name of each relation', async () => {
    const [header] = (await exported(viewer, 'devices')).rows;
    const names = `database_id,revision,created_at,updated_at,created_via,serial_number,enabled,meta,framework_version,
      tags,notes,created_by,model,battery_level,signal,sim_card_id,logical_number,last_seen_at,presence`;
    expect(header).toEqual(names.split(/,\s*/));
  });
});

describe('columns', () => {
  it('are those asked for, in their order and spelling', async () => {
    const columns = 'serialNumber,logical_number.group.name,logical_number,created_by.database_id';
    const query = { columns, serial_number: 'sample serial' };
    const { rows } = await exported(viewer, 'devices', query);
    const creator = String(server.acme.caller.userId);
    expect(rows).toEqual([columns.split(','), ['sample serial', 'sample group', 'sample number', creator]]);
    const { records } = await exported(viewer, 'devices', { ...query, ...ndjson });
    expect(records).toEqual([
      {
        serialNumber: 'sample serial',
        logical_number: { number: 'sample number', group: { name: 'sample group' } },
        created_by: { database_id: server.acme.caller.userId },
      },
    ]);
  });

  it('may have a relation in two spellings', async () => {
    const columns = 'logical_number.number,logicalNumber.group.name,logicalNumber.number';
    const { rows } = await exported(viewer, 'devices', { columns, serial_number: 'sample serial' });
    expect(rows).toEqual([columns.split(','), ['sample number', 'sample group', 'sample number']]);
  });

  it('show times in a time zone', async () => {
    const query = { columns: 'started_at', time_zone: 'America/Sao_Paulo' };
    const [utc] = (await exported(viewer, 'transactions', { columns: 'started_at', ...ndjson })).records;
    const [zoned] = (await exported(viewer, 'transactions', { ...query, ...ndjson })).records;
    expect(zoned?.started_at).toMatch(/[.]\d{3}-03:00$/);
    expect(Date.parse(String(zoned?.started_at))).toBe(Date.parse(String(utc?.started_at)));
    expect((await exported(viewer, 'transactions', query)).rows[1]).toEqual([zoned?.started_at]);
  });

  it('of another scope are left out, and refused if they are asked for', async () => {
    const query = { columns: 'serial_number,created_by.email' };
    for (const more of ['', ',createdBy.id'])
      expect(await exported(viewer, 'devices', { columns: `${query.columns}${more}` })).toMatchObject({
        status: 403,
        code: 'forbidden',
      });
    expect((await exported(server.acme, 'devices', query)).rows[1]?.[1]).toContain('@acme.example');
  });
});

describe('an export is refused before its first byte', () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['an unknown format', { format: 'xlsx' }, 'format must be one of csv, spreadsheet, ndjson.'],
    ['an unknown column', { columns: 'serial_number,colour' }, '"colour" is no column of this list'],
    ['a column of a list of records', { columns: 'transactions' }, '"transactions" is no column'],
    ['no column at all', { columns: '' }, '"" is no column of this list'],
    ['too many columns', { columns: Array(101).fill('enabled').join() }, 'at most 100'],
    ['an unknown time zone', { time_zone: 'Mars/Olympus' }, 'time_zone must be an IANA time zone'],
    [
      'an unknown parameter',
      { colour: 'red' },
      'takes format, columns, filter, order_by, time_zone, after, totals, locale, separator,',
    ],
    ['an unknown comparator', { 'serial_number.like': 'SN%' }, 'A parameter is unknown.'],
    ['two spellings of a parameter', { time_zone: 'UTC', timeZone: 'UTC' }, 'time_zone is given more than'],
    ['a filter that is no JSON', { filter: '{' }, 'in the form of DeviceFilter of GraphQL'],
    ['a filter of an unknown field', { filter: '{"colour":{}}' }, 'filter: Field "colour" is not defined'],
    ['a filter of null', { filter: '{"enabled":null}' }, 'enabled must not be null'],
    ['a value of another type', { enabled: 'maybe' }, 'filter.enabled.eq: Boolean cannot represent'],
    ['a time that is none', { 'created_at.gte': 'yesterday' }, 'DateTime must be a timestamp'],
    ['RU-50: a filter of nothing', { filter: '{"serialNumber":{"eq":null}}' }, 'must not be null'],
    ['a text that is no cursor', { after: 'abc' }, 'This is not a cursor'],
  ])('for %s', async (_what, query, message) => {
    const reply = await exported(viewer, 'devices', query);
    expect([reply.status, reply.code]).toEqual([400, 'malformed']);
    expect(reply.message).toContain(message);
  });

  it.each(names)('without the scope of %s', async (name) => {
    const reply = await exported(viewer, name);
    expect([reply.status, reply.code]).toEqual(
      OF_ADMINS.includes(name) ? [403, 'forbidden'] : [200, undefined],
    );
    const none = await server.member('acme', 'admin', ['ingest']);
    expect(await exported(none, name)).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await exported({ client: server.anonymous }, name)).toMatchObject({ status: 401 });
  });

  it('for an unknown list', async () => {
    const { status, message } = await exported(viewer, 'colours');
    expect([status, message]).toEqual([404, expect.stringContaining('There are devices, logical_numbers,')]);
  });
});

const serials = async (query: Readonly<Record<string, string | number>>): Promise<unknown[]> => {
  const { status, records, message } = await exported(viewer, 'devices', {
    columns: 'serial_number',
    ...ndjson,
    ...query,
  });
  expect(status, message).toBe(200);
  return records.map((record) => record.serial_number);
};

describe('filters', () => {
  it('are those of GraphQL, as JSON or one by one', async () => {
    const filter = JSON.stringify({
      serialNumber: { startsWith: 'SN-' },
      not: { serialNumber: { eq: 'SN-3' } },
    });
    const others = ['SN-1', 'SN-2', 'SN-4', 'SN-5', 'SN-6', 'SN-7'];
    expect(await serials({ filter })).toEqual(others);
    expect(await serials({ filter, 'serial_number.in': 'SN-2,SN-3,SN-4' })).toEqual(['SN-2', 'SN-4']);
    expect(await serials({ presence: 'never_seen', 'serialNumber.contains': '-5' })).toEqual(['SN-5']);
    expect(await serials({ enabled: 'false' })).toEqual([]);
  });

  it('take numbers of records for their ids', async () => {
    const [number] = (await exported(viewer, 'logical_numbers', ndjson)).records;
    expect(await serials({ logical_number_id: Number(number?.database_id) })).toEqual(['sample serial']);
  });
});

describe('values of an export', () => {
  it('RU-10 are found by a filter in another Unicode form', async () => {
    await fleet.device(server.acme.client, 'Caf\u00E9 1');
    expect(await serials({ serial_number: 'Cafe\u0301 1' })).toEqual(['Caf\u00E9 1']);
    expect(await serials({ filter: '{"serialNumber":{"startsWith":"Cafe\\u0301"}}' })).toEqual([
      'Caf\u00E9 1',
    ]);
  });

  it.each(ACCEPTED_TIMESTAMPS)('RU-24 are found by the time %s', async (text) => {
    expect(await exported(viewer, 'transactions', { 'started_at.gte': text })).toMatchObject({ status: 200 });
  });

  it.each(REFUSED_TIMESTAMPS)('RU-24 are not looked for by %j', async (text) => {
    expect(await exported(viewer, 'transactions', { 'started_at.gte': text })).toMatchObject({ status: 400 });
  });
});

describe('an export goes on', () => {
  it('after the last record that a client has, and after the last line', async () => {
    const own = { 'serial_number.startsWith': 'SN-' };
    const all = await exported(viewer, 'devices', { ...ndjson, ...own });
    const third = Number(all.records[2]?.database_id);
    expect(await serials({ ...own, after: third })).toEqual(['SN-4', 'SN-5', 'SN-6', 'SN-7']);
    const after = String(all.after);
    expect(await serials({ ...own, after })).toEqual([]);
    expect((await exported(viewer, 'devices', { ...ndjson, ...own, after })).after).toBe(after);
    await fleet.device(server.acme.client, 'SN-8');
    expect(await serials({ ...own, after })).toEqual(['SN-8']);
    const other = await exported(viewer, 'devices', { after });
    expect([other.status, other.message]).toEqual([400, expect.stringContaining('another order')]);
  });

  it('in the order of the filter, where that is another one', async () => {
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 5, 12, minute));
    const minutes = [3, 1, 2, 5, 4];
    await server.app.units.write(server.acme.caller, (work) =>
      recordAll(
        work,
        minutes.map((minute) => ({
          ...({ transactionType: 'switch', logicalNumber: '7', appName: 'sale', status: 'success' } as const),
          serialNumber: 'T-1',
          startedAt: at(minute),
          finishedAt: at(minute),
        })),
      ),
    );
    const query = { ...ndjson, serial_number: 'T-1', columns: 'database_id,started_at' };
    const all = await exported(viewer, 'transactions', query);
    const times = all.records.map(({ started_at: time }) => new Date(String(time)).getUTCMinutes());
    expect(times).toEqual([1, 2, 3, 4, 5]);
    const after = Number(all.records[1]?.database_id);
    expect((await exported(viewer, 'transactions', { ...query, after })).records).toEqual(
      all.records.slice(2),
    );
    const gone = await exported(viewer, 'transactions', { ...query, after: 987_654 });
    expect(gone).toMatchObject({ status: 404, code: 'not_found' });
  });
});
