import { describe, expect, it } from 'vitest';

import { logPartOf } from '../../../../src/domain/terminals/device-log/device-log.model.js';
import * as logs from '../../../../src/domain/terminals/device-log/device-log.service.js';
import { DAY } from '../../../../src/platform/clock.js';
import { insertMany } from '../../../support/databases/rows.js';
import { storedText } from '../../../support/device-logs.js';
import { rowsIn } from '../../../support/fleet.js';
import { pruneNow } from '../../../support/retention.js';
import { type Member, useServer } from '../../../support/server.js';
import { newTerminal } from '../../../support/terminals.js';

const server = useServer();
const MIB = 1024 * 1024;

let terminals = 0;
const device = async (member = server.acme): Promise<number> =>
  (await newTerminal(member, `DOMAIN ${(terminals += 1)}`)).id;

/** Stores a text as a log of a device. */
async function store(id: number, text: string | Buffer, query: object = {}, member: Member = server.acme) {
  const { caller } = member;
  const part = logPartOf(new Map(Object.entries(query)));
  const read = await logs.cleanPart(caller.companyId, Buffer.from(text));
  return await server.app.units.write(caller, (work) => logs.storePart(work, { id }, part, read));
}

const line = (length: number): string => `${'a'.repeat(length - 1)}\n`;
const idsOf = async (id: number): Promise<number[]> =>
  (
    await server.place.sql<{ id: number }>(`select id from device_logs where device_id = ${id} order by id`)
  ).map((row) => row.id);
const read = async (id: number, request: object, member: Member = server.acme) => {
  const all = { search: '', first: 100, after: 0, ...request };
  return (await server.app.units.read(member.caller, (work) => logs.readLines(work, [id], all))).get(id);
};

describe('the logs of a device', () => {
  it('CM-04 have 20 MiB together: a new one removes the oldest', async () => {
    const [id, other] = [await device(), await device()];
    const kept = await store(other, line(4 * MIB), { name: 'other' });
    const ids: number[] = [];
    for (let n = 0; n < 6; n += 1) ids.push(await store(id, line(4 * MIB), { name: `log ${n}` }));
    expect(await idsOf(id)).toEqual(ids.slice(1));
    const small = await store(id, 'small\n', { name: 'small' });
    expect(await idsOf(id)).toEqual([...ids.slice(2), small]);
    expect(await idsOf(other)).toEqual([kept]);
    const chunks = await rowsIn(server, 'device_log_chunks', `log_id in (${ids.slice(0, 2).join()})`);
    expect(chunks).toBe(0);
  });

  it('are at most 500', async () => {
    const id = await device();
    const first = await store(id, 'x\n', { name: 'first' });
    await insertMany(server.place, ['device_logs', server.acme.caller.companyId, 512], (n) => {
      return { device_id: id, name: `log ${n}`, at: new Date(n), parts: 1, size: 1, created_at: new Date(n) };
    });
    expect(await rowsIn(server, 'device_logs', `device_id = ${id}`)).toBe(513);
    await store(id, 'y\n', { name: 'last' });
    expect(await rowsIn(server, 'device_logs', `device_id = ${id}`)).toBe(500);
    expect(await idsOf(id)).not.toContain(first);
  });

  it('CM-04 refuse a log that alone would be larger, which changes nothing', async () => {
    const id = await device();
    const part = (n: number) => ({ name: 'large', at: '2026-01-01T00:00:00Z', part: `${n}`, parts: '6' });
    for (let n = 1; n <= 5; n += 1) await store(id, line(4 * MIB), part(n));
    await expect(store(id, line(4 * MIB), part(6))).rejects.toMatchObject({ code: 'malformed' });
    const rows = await server.place.sql(
      `select received_parts, size from device_logs where device_id = ${id}`,
    );
    expect(rows.map(Object.values)).toEqual([[5, 20 * MIB]]);
  });

  it('go with the device', async () => {
    const id = await device();
    const log = await store(id, 'x\n');
    await server.acme.client.delete(`devices/${encodeURIComponent(`DOMAIN ${terminals}`)}`);
    expect(await rowsIn(server, 'device_logs', `device_id = ${id}`)).toBe(0);
    expect(await rowsIn(server, 'device_log_chunks', `log_id = ${log}`)).toBe(0);
  });

  it('are deleted 30 days after they arrived, whatever their own time', async () => {
    const id = await device();
    const old = await store(id, 'old\n', { name: 'old', at: '2099-01-01T00:00:00Z' });
    server.clock.advance(20 * DAY);
    const young = await store(id, 'young\n', { name: 'young', at: '1999-01-01T00:00:00Z' });
    server.clock.advance(11 * DAY);
    await pruneNow(server.app.database, { logs: '30 days' }, { clock: server.clock });
    expect(await idsOf(id)).toEqual([young]);
    expect(await rowsIn(server, 'device_log_chunks', `log_id = ${old}`)).toBe(0);
    expect(await storedText(server, young)).toBe('young\n');
  });
});

describe('the lines of a log', () => {
  it('are read in pages with their numbers, over parts and chunks', async () => {
    const id = await device();
    const many = (from: number): string =>
      Array.from({ length: 3_000 }, (_, n) => `line ${from + n} with some more text\r\n`).join('');
    const part = (n: number) => ({ name: 'main.log', at: '2026-01-01T00:00:00Z', part: `${n}`, parts: '2' });
    await store(id, many(3_001), part(2));
    const log = await store(id, many(1), part(1));
    const numbers: number[] = [];
    let after = 0;
    for (let more = true; more;) {
      const page = await read(log, { first: 997, after });
      for (const { number, text } of page?.nodes ?? []) {
        expect(text).toBe(`line ${number} with some more text`);
        numbers.push(number);
      }
      more = page?.hasNextPage ?? false;
      after = page?.endLine ?? 0;
    }
    expect(numbers).toEqual(Array.from({ length: 6_000 }, (_, n) => n + 1));
  });

  it('are found by a text in any letter case, and with any accents', async () => {
    const log = await store(
      await device(),
      'boot\nFalha de CONEXÃO\nok\nconexao perdida\n\nconexão de volta',
    );
    expect(await read(log, { search: 'Conexão' })).toEqual({
      nodes: [
        { number: 2, text: 'Falha de CONEXÃO' },
        { number: 4, text: 'conexao perdida' },
        { number: 6, text: 'conexão de volta' },
      ],
      endLine: 6,
      hasNextPage: false,
    });
    expect(await read(log, { search: 'conexao', first: 1 })).toMatchObject({ endLine: 2, hasNextPage: true });
    expect(await read(log, { search: 'conexao', first: 1, after: 2 })).toMatchObject({
      nodes: [{ number: 4 }],
    });
    expect(await read(log, { search: 'nothing' })).toMatchObject({ nodes: [], hasNextPage: false });
  });

  it('are searched 2 MiB at a time', async () => {
    const log = await store(await device(), `${line(1_024).repeat(2_500)}needle\n`);
    const first = await read(log, { search: 'needle' });
    expect(first).toEqual({ nodes: [], endLine: 2_048, hasNextPage: true });
    expect(await read(log, { search: 'needle', after: first?.endLine })).toMatchObject({
      nodes: [{ number: 2_501 }],
      hasNextPage: false,
    });
  });

  it('are cut where they are too long', async () => {
    const log = await store(await device(), `${'é'.repeat(5_000)}\nshort`);
    const page = await read(log, {});
    expect(page?.nodes.map(({ text }) => text)).toEqual([`${'é'.repeat(2_000)}…`, 'short']);
  });

  it('are nothing to another company', async () => {
    const log = await store(await device(), 'secret\n');
    const page = await read(log, {}, server.beta);
    expect(page).toBeUndefined();
    const { caller } = server.beta;
    await expect(server.app.units.read(caller, (work) => logs.logFileName(work, log))).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await server.app.units.read(caller, (work) => logs.readText(work, log, 0))).toBeNull();
  });
});
