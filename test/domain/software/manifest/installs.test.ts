import { beforeAll, describe, expect, it } from 'vitest';

import { MINUTE } from '../../../../src/platform/clock.js';
import { crcOf, softwareOf } from '../../../support/fleet.js';
import { type Fields, useServer } from '../../../support/server.js';
import { reportInstall, softwareOfDevice, type Status } from '../../../support/software.js';
import {
  base64,
  setVersions,
  stockedTerminal,
  type StockedTerminal,
} from '../../../support/stocked-terminal.js';
import { getAsset, getAsTerminal, outcomeOf } from '../../../support/terminals.js';

const server = useServer({ rateLimitPerHour: 100_000 });
let terminals = 0;
let terminal: StockedTerminal;
let name: string;
let crc: string;

/** A new terminal with one application for each test. */
async function stock(): Promise<void> {
  const own = `installs${(terminals += 1)}`;
  terminal = await stockedTerminal(server.acme, own);
  name = `acmepagamentos_${own}.posxml`;
  crc = crcOf(Buffer.from(`bytecode of ${own}`));
}

const report = (body: Fields) => reportInstall(server, terminal.token, { name, crc, ...body });

async function status(number = '1.0'): Promise<Status | undefined> {
  const all = await softwareOfDevice(server.acme, terminal.serialNumber);
  return all.find(({ appVersion }) => appVersion.number === number);
}
const state = async (number?: string) => (await status(number))?.state;

/** Adds a version to the app of the terminal, which replaces the one before it. */
async function nextVersion(): Promise<string> {
  const { id } = await softwareOf(server.acme.client).version(terminal.versionPath, {
    number: '1.1',
    bytecode: base64('next'),
    group_ids: [terminal.groupId],
  });
  await setVersions(server.acme, terminal, id);
  return crcOf(Buffer.from('next'));
}

const sale = (startedAt: Date, more = {}) => {
  const at = startedAt.toISOString();
  return {
    transaction_type: 'switch',
    app_name: name.replace(/^[^_]*_/, ''),
    status: 'success',
    started_at: at,
    finished_at: at,
    reference: crypto.randomUUID(),
    ...more,
  };
};
async function sell(more = {}): Promise<void> {
  const headers = { authorization: `Bearer ${terminal.token}` };
  const body = sale(server.clock.now(), more);
  const reply = await server.anonymous.post('/terminal/v1/transactions', body, { headers });
  expect(reply.status).toBe(200);
}

describe('the report of an installation', () => {
  beforeAll(stock);

  it('says that the version runs, or why it does not', async () => {
    expect(await status()).toMatchObject({ state: 'GRANTED', attempts: 0, reason: null });
    await getAsset(server, terminal.token, name);
    await expect.poll(() => status()).toMatchObject({ state: 'DOWNLOADED', attempts: 1 });
    const failure = { result: 'failed', code: 'SIGNATURE', detail: 'of another company' };
    expect((await report(failure)).status).toBe(200);
    const failed = await status();
    expect(failed).toMatchObject({ state: 'FAILED', reason: 'SIGNATURE', detail: 'of another company' });
    server.clock.advance(1_000);
    expect((await report(failure)).status).toBe(200);
    expect(await status()).toEqual(failed);
    expect((await report({ result: 'installed', crc: crc.toLowerCase() })).body).toEqual({});
    expect(await status()).toMatchObject({ state: 'INSTALLED', reason: null, detail: null, attempts: 1 });
  });

  it('of other bytes shows that the version does not run, and which one does', async () => {
    const before = crc;
    await report({ result: 'installed' });
    crc = await nextVersion();
    await report({ result: 'installed' });
    expect([await state('1.0'), await state('1.1')]).toEqual([undefined, 'INSTALLED']);
    crc = before;
    await report({ result: 'installed' });
    expect([await state('1.0'), await state('1.1')]).toEqual(['INSTALLED', 'GRANTED']);
  });

  it('hides card numbers', async () => {
    await stock();
    await report({ result: 'failed', detail: 'card 4111111111111111' });
    expect((await status())?.detail).not.toContain('4111111111111111');
  });

  it('of a file is accepted, of an unknown name not found, and refused if it is not valid', async () => {
    const file = name.replace('.posxml', '.dat');
    expect(outcomeOf(await report({ name: file, result: 'installed' }))).toBe('200');
    expect(outcomeOf(await report({ name: 'acme_none.posxml', result: 'installed' }))).toBe('404 not_found');
    for (const [field, bad] of [
      ['name', ''],
      ['crc', '31C'],
      ['crc', '31CG'],
      ['result', 'done'],
      ['code', 'x'.repeat(65)],
      ['detail', 'x'.repeat(501)],
    ] as const) {
      const { status: code, body } = await report({ result: 'failed', [field]: bad });
      expect([code, Object.keys(body.errors as object)]).toEqual([422, [field]]);
    }
    expect(outcomeOf(await reportInstall(server, server.acme.token, { name, crc }))).toMatch(/^40[03]/);
  });
});

describe('a request for other bytes', () => {
  it('takes a version back, but keeps why it failed', async () => {
    await stock();
    await report({ result: 'installed' });
    await getAsset(server, terminal.token, `${name}?crc=0F0F`);
    await expect.poll(() => state()).toBe('GRANTED');
    await report({ result: 'failed', code: 'SPACE' });
    await getAsset(server, terminal.token, `${name}?crc=0F0F`, { range: 'bytes=0-1' });
    expect(await status()).toMatchObject({ state: 'FAILED', reason: 'SPACE' });
  });

  it('of a version that failed shows which one runs', async () => {
    await stock();
    const before = crc;
    crc = await nextVersion();
    await report({ result: 'failed', code: 'SPACE' });
    await getAsset(server, terminal.token, `${name}?crc=${before}`, { range: 'bytes=0-1' });
    await expect.poll(() => state('1.0')).toBe('INSTALLED');
    expect(await state('1.1')).toBe('FAILED');
  });
});

describe('a transaction', () => {
  it('proves the installed version of its app, by each way in which it comes', async () => {
    const { acme } = server;
    const input = (startedAt: Date) => ({
      transactionType: 'SWITCH',
      serialNumber: terminal.serialNumber,
      status: 'SUCCESS',
      logicalNumber: terminal.logicalNumber,
      appName: name.replace(/^[^_]*_/, ''),
      startedAt,
      finishedAt: startedAt,
      reference: crypto.randomUUID(),
    });
    const mutation = `mutation ($input: TransactionInput!) { transactionRecord(input: $input) { repeated transaction { id } } }`;
    const finish = `mutation ($id: ID!) { transactionFinish(id: $id, input: { status: SUCCESS }) { transaction { id } } }`;
    interface Recorded {
      readonly transactionRecord: { readonly transaction: { readonly id: string } };
    }
    const ways: Readonly<Record<string, () => Promise<unknown>>> = {
      terminal: () => sell(),
      graphql: () => acme.graphql(mutation, { input: input(server.clock.now()) }),
      ingest: () => {
        const { serialNumber: serial_number, logicalNumber: logical_number } = terminal;
        const row = sale(server.clock.now(), { serial_number, logical_number });
        const headers = { 'content-type': 'application/x-ndjson' };
        return acme.client.post('/ingest/v1/transactions', `${JSON.stringify(row)}\n`, { headers });
      },
      finish: async () => {
        const running = { ...input(server.clock.now()), status: 'RUNNING', finishedAt: null };
        const { data } = (await acme.graphql<Recorded>(mutation, { input: running })).body;
        expect(await state()).toBe('INSTALLED');
        await acme.graphql(finish, { id: data.transactionRecord.transaction.id });
      },
    };
    for (const [way, record] of Object.entries(ways)) {
      await stock();
      await report({ result: 'installed' });
      server.clock.advance(1_000);
      await record();
      expect([way, await state()]).toEqual([way, 'PROVEN']);
    }
  });

  it('proves nothing before the installation, of another app, without success, or of only downloaded bytes', async () => {
    await stock();
    await getAsset(server, terminal.token, name);
    await expect.poll(() => state()).toBe('DOWNLOADED');
    await sell();
    expect(await state()).toBe('DOWNLOADED');
    server.clock.advance(MINUTE);
    await report({ result: 'installed' });
    const earlier = new Date(server.clock.now().getTime() - MINUTE / 2).toISOString();
    await sell({ started_at: earlier });
    await sell({ app_name: 'other.posxml' });
    await sell({ status: 'fail' });
    await sell({ transaction_type: 'company' });
    expect(await state()).toBe('INSTALLED');
  });

  it('proves no bytes that replaced those of the version, which begin anew', async () => {
    await stock();
    await report({ result: 'installed' });
    await server.acme.client.put(`${terminal.versionPath}/${terminal.versionId}`, {
      bytecode: base64('others'),
    });
    expect(await state()).toBe('GRANTED');
    await sell();
    expect(await state()).toBe('GRANTED');
  });

  it('takes no statement more, and changes nothing the next time', async () => {
    await stock();
    await report({ result: 'installed' });
    const { statements } = await server.statements(() => sell());
    expect(statements.filter((text) => text.includes('terminal_versions'))).toEqual([]);
    const before = await status();
    expect(before?.state).toBe('PROVEN');
    server.clock.advance(1_000);
    await sell();
    expect(await status()).toEqual(before);
  });
});

describe('a version that is taken away', () => {
  it('ends with its grant if the terminal has no bytes of it, and otherwise with the next manifest', async () => {
    await stock();
    await report({ result: 'failed', code: 'SPACE' });
    await setVersions(server.acme, terminal);
    expect(await state()).toBeUndefined();
    await stock();
    await report({ result: 'installed' });
    await setVersions(server.acme, terminal);
    expect(await state()).toBe('INSTALLED');
    await getAsTerminal(server, terminal.token, 'manifest');
    expect(await state()).toBeUndefined();
  });
});
