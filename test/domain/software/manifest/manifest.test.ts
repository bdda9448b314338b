import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';

import { crcOf, fleet, statementsOf, softwareOf } from '../../../support/fleet.js';
import { localName, readParamsDat } from '../../../support/params-dat.js';
import { useServer, type Fields } from '../../../support/server.js';
import {
  base64,
  setVersions,
  stockedTerminal,
  type StockedTerminal,
} from '../../../support/stocked-terminal.js';
import { getAsTerminal, newTerminal, outcomeOf } from '../../../support/terminals.js';

const server = useServer({ rateLimitPerHour: 100_000 });
let sale: StockedTerminal;
beforeAll(async () => {
  sale = await stockedTerminal(server.acme, 'sale');
});

const sumsOf = (bytes: string): Fields => ({
  size: Buffer.byteLength(bytes),
  crc: crcOf(Buffer.from(bytes)),
  sha256: createHash('sha256').update(bytes).digest('hex'),
});
const get = (path: string, headers?: Readonly<Record<string, string>>, token = sale.token) =>
  getAsTerminal(server, token, path, headers);

describe('the manifest', () => {
  it('has what the terminal gets', async () => {
    const reply = await get('manifest');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { text } = await get('params.dat');
    expect(reply.body).toEqual({
      device: { serial_number: 'SN-sale', enabled: true },
      logical_number: 'number of sale',
      group: 'group of sale',
      parameters: [
        { key: 'host', value: 'own.example', source: 'logical_number' },
        { key: 'port', value: '7000', source: 'group' },
      ],
      apps: [
        {
          label: '1 - Menu sale',
          name: 'acmepagamentos_sale.posxml',
          type: 'posxml',
          version: '1.0',
          ...sumsOf('bytecode of sale'),
          modules: [
            {
              name: 'acmepagamentos_sale-module.posxml',
              type: 'posxml',
              version: '2.0',
              ...sumsOf('module of sale'),
            },
          ],
        },
      ],
      files: [{ name: 'acmepagamentos_sale.dat', ...sumsOf('file of sale') }],
      params_dat: { size: Buffer.byteLength(text), crc: crcOf(Buffer.from(text)) },
    });
  });

  it('has an ETag that changes with it', async () => {
    const before = (await get('manifest')).headers.get('etag') ?? '';
    expect(before).toMatch(/^"[\w-]+"$/);
    const unchanged = await get('manifest', { 'if-none-match': before });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    const { client } = server.acme;
    const group = { name: 'other name' };
    expect((await client.put(`groups/${encodeURIComponent('group of sale')}`, group)).status).toBe(200);
    expect((await get('manifest', { 'if-none-match': before })).status).toBe(200);
    await client.put(`groups/${encodeURIComponent('other name')}`, { name: 'group of sale' });
    expect((await get('manifest', { 'if-none-match': before })).status).toBe(304);
  });

  it('takes as many statements whatever it holds', async () => {
    const few = await statementsOf(server, () => get('manifest'));
    const { acme } = server;
    const many = await stockedTerminal(acme, 'many');
    const software = softwareOf(acme.client);
    const ids: unknown[] = [many.versionId];
    for (let n = 0; n < 5; n += 1) {
      const files = [await fleet.file(acme.client, `many-${n}.dat`, `${n}`)];
      const path = await software.app({ name: `many-${n}` });
      const fields = { bytecode: base64(`${n}`), group_ids: [many.groupId], file_ids: files };
      ids.push((await software.version(path, { ...fields, module_ids: [many.moduleId] })).id);
    }
    await setVersions(acme, many, ...ids);
    expect((await get('manifest', {}, many.token)).body.apps).toHaveLength(6);
    expect(await statementsOf(server, () => get('manifest', {}, many.token))).toBe(few);
    // One more reads which settings file the terminal has.
    expect(await statementsOf(server, () => get('params.dat', {}, many.token))).toBe(few + 1);
  });

  it('is empty for a number without anything', async () => {
    const { token } = await newTerminal(server.acme, 'SN-EMPTY');
    expect((await get('manifest', {}, token)).body).toMatchObject({
      group: null,
      parameters: [],
      apps: [],
      files: [],
    });
    expect((await get('params.dat', {}, token)).text).toBe('apps_list=\nfiles_list=\n');
  });
});

describe('params.dat', () => {
  it('has its CRC in X-CRC16, and is 304 for a terminal that names it', async () => {
    const reply = await get('params.dat');
    const crc = crcOf(Buffer.from(reply.text));
    expect(reply.headers.get('x-crc16')).toBe(crc);
    const known = await get(`params.dat?crc=${crc.toLowerCase()}`);
    expect([known.status, known.text, known.headers.get('x-crc16')]).toEqual([304, '', crc]);
    expect((await get('params.dat?crc=')).text).toBe(reply.text);
    expect((await get('params.dat?crc=0000')).text).toBe(reply.text);
    expect((await get('params.dat?crc=nonsense')).status).toBe(400);
  });

  it('is what a terminal reads', async () => {
    const reply = await get('params.dat');
    expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const { values, apps, files } = readParamsDat(reply.text);
    expect(Object.fromEntries(values)).toMatchObject({ host: 'own.example', port: '7000' });
    expect(apps).toMatchObject([
      { label: '1 - Menu sale', name: 'acmepagamentos_sale.posxml', type: 'posxml' },
      { label: 'X', name: 'acmepagamentos_sale-module.posxml', type: 'posxml' },
    ]);
    expect(files.map(({ name }) => localName(name))).toEqual(['sale.dat']);
    const etag = reply.headers.get('etag') ?? '';
    expect((await get('params.dat', { 'if-none-match': etag })).status).toBe(304);
  });

  it('is refused if its parameters have more than a mebibyte', async () => {
    const { acme } = server;
    const huge = await stockedTerminal(acme, 'huge');
    for (let n = 0; n < 16; n += 1) {
      const parameter = { number: huge.logicalNumber, key: `huge${n}`, value: 'x'.repeat(65_536) };
      expect((await acme.client.post('parameters', parameter)).status).toBe(201);
    }
    expect(outcomeOf(await get('params.dat', {}, huge.token))).toBe('409 too_many_records');
    expect(outcomeOf(await get('manifest', {}, huge.token))).toBe('409 too_many_records');
  });
});

const MANIFESTS = `query ($first: Int!) { devices(first: $first) { nodes { serialNumber manifest {
  etag paramsDat apps { label name type version size crc sha256 modules { name version crc } }
  files { name size crc sha256 } omissions { kind name reason } } } } }`;

interface Shown {
  readonly etag: string;
  readonly paramsDat: string;
  readonly apps: readonly { readonly name: string }[];
  readonly omissions: readonly unknown[];
}

async function shown(first: number): Promise<ReadonlyMap<string, Shown | null>> {
  const { body } = await server.acme.graphql(MANIFESTS, { first });
  expect(body.errors).toBeUndefined();
  const { nodes } = (body.data as { devices: { nodes: { serialNumber: string; manifest: Shown | null }[] } })
    .devices;
  return new Map(nodes.map(({ serialNumber, manifest }) => [serialNumber, manifest]));
}

describe('the manifest of a device in GraphQL', () => {
  it('is what the terminal gets', async () => {
    const manifest = (await shown(1)).get('SN-sale');
    const reply = await get('manifest');
    expect(manifest).toMatchObject({
      etag: reply.headers.get('etag'),
      paramsDat: (await get('params.dat')).text,
      files: reply.body.files,
      omissions: [],
    });
    expect(manifest?.apps).toMatchObject([{ name: 'acmepagamentos_sale.posxml', label: '1 - Menu sale' }]);
  });

  it('is null for a device without a logical number', async () => {
    await server.acme.client.post('devices', { serial_number: 'SN-NONE' });
    expect((await shown(100)).get('SN-NONE')).toBeNull();
  });

  it('names what terminals do not get, and why', async () => {
    const { acme } = server;
    const odd = await stockedTerminal(acme, 'odd');
    const software = softwareOf(acme.client);
    const ids: unknown[] = [odd.versionId];
    const add = async (name: string, fields: Fields): Promise<void> => {
      const path = await software.app({ name });
      ids.push((await software.version(path, { group_ids: [odd.groupId], ...fields })).id);
    };
    await add('a,b;c', { bytecode: base64('x') });
    await add('../etc/passwd', { bytecode: base64('x') });
    await add('empty', {});
    await add('name.dat.posxml', { bytecode: base64('x') });
    const fileId = await fleet.file(acme.client, 'name.dat.posxml', 'y');
    const path = await software.app({ name: 'holder' });
    const holder = { group_ids: [odd.groupId], bytecode: base64('z'), file_ids: [fileId] };
    ids.push((await software.version(path, holder)).id);
    const newer = { number: '1.1', group_ids: [odd.groupId], bytecode: base64('newer') };
    ids.push((await software.version(odd.versionPath, newer)).id);
    await setVersions(acme, odd, ...ids);
    for (const [key, value] of [
      ['a=b', '1'],
      ['apps_list', '1'],
      ['lines', 'a\r\nb'],
    ]) {
      await acme.client.post('parameters', { number: odd.logicalNumber, key, value });
    }
    const manifest = (await shown(100)).get('SN-odd');
    expect(new Set(manifest?.omissions)).toEqual(
      new Set([
        { kind: 'APP', name: 'odd.posxml', reason: 'SAME_NAME' },
        { kind: 'APP', name: 'empty.posxml', reason: 'NO_BYTES' },
        { kind: 'APP', name: '../etc/passwd.posxml', reason: 'NAME' },
        { kind: 'APP', name: 'a,b;c.posxml', reason: 'NAME' },
        { kind: 'FILE', name: 'name.dat.posxml', reason: 'SAME_NAME' },
        { kind: 'PARAMETER', name: 'a=b', reason: 'KEY' },
        { kind: 'PARAMETER', name: 'apps_list', reason: 'KEY' },
        { kind: 'PARAMETER', name: 'lines', reason: 'VALUE' },
      ]),
    );
    const { body } = await get('manifest', {}, odd.token);
    expect(body.apps).toMatchObject([
      { label: 'X', name: 'acmepagamentos_holder.posxml' },
      { label: 'X', name: 'acmepagamentos_name.dat.posxml' },
      { label: 'X', name: 'acmepagamentos_odd.posxml', version: '1.1' },
    ]);
    expect(body.parameters).toContainEqual({ key: 'lines', value: 'a\r\nb', source: 'logical_number' });
    readParamsDat(manifest?.paramsDat ?? '');
  });
});
