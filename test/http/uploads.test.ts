import type { Request } from 'express';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';

import { createFileBodyReader, type ReceivedBody } from '../../src/http/body/file-body.js';
import { createUploadReader } from '../../src/http/body/multipart.js';
import { Uploads, type UploadLimits } from '../../src/http/body/uploads.js';
import { HttpProblem } from '../../src/http/problem.js';
import { SECOND } from '../../src/platform/clock.js';
import { localCaller } from '../../src/platform/requests.js';
import { SpoolFiles, type SpooledContent } from '../../src/platform/spool.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';
import { openSlowClient, type SlowClient } from '../support/slow-client.js';

const folder = scratchFolder();
const servers: Server[] = [];
afterAll(() => {
  for (const http of servers) {
    http.close();
    http.closeAllConnections();
  }
  removeFolder(folder);
});

const CALLER = localCaller({ companyId: 1, userId: 1, timeZone: 'UTC' });

/** Uploads without a database: they count as stored once they are in a temporary file. */
function testUploads(limits: Partial<UploadLimits>): Uploads {
  const files = new SpoolFiles({
    path: join(folder, `upload-${servers.length}-`),
    maxBytes: 1e9,
    maxBytesOfCompany: 1e9,
    requireRoom: () => undefined,
  });
  const storage = {
    spool: (companyId: number) => files.open(companyId),
    stage: (_caller: unknown, { spool: _spool, ...sums }: SpooledContent) =>
      Promise.resolve({ ...sums, stagedId: 1, stagedAt: new Date(0) }),
    discard: () => Promise.resolve(),
  };
  return new Uploads(storage, { maxFileBytes: 10_000, middleBytes: 0, bodyMs: 30 * SECOND, ...limits });
}

const FILE = { name: 'bytecode', asText: true } as const;

/** A server that only reads bodies. */
async function serve(limits: Partial<UploadLimits>): Promise<{ url: string; held: ReceivedBody[] }> {
  const held: ReceivedBody[] = [];
  const uploads = testUploads(limits);
  const readBody = createFileBodyReader(uploads, createUploadReader(uploads));
  const http = createServer((request, response) => {
    readBody(request as Request, CALLER, FILE).then(
      (body) => {
        held.push(body);
        response.end('read');
      },
      (error: unknown) => {
        const { status, headers } = error instanceof HttpProblem ? error : { status: 500, headers: {} };
        response.writeHead(status, headers).end();
      },
    );
  });
  servers.push(http);
  await once(http.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, held };
}

const ONE_PLACE = { places: 1, placesOfKey: 1, textPlaces: 1, textPlacesOfKey: 1, smallBytes: 100 };
const head = (type: string): string =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Bodies up to the bytes of a field or file, and what follows these. */
const FORMS = {
  JSON: [head('application/json') + chunk('{"bytecode":"'), chunk('"}')],
  form: [head('application/x-www-form-urlencoded') + chunk('number=1&bytecode='), chunk('&more=1')],
  multipart: [
    head('multipart/form-data; boundary=XX') +
      chunk('--XX\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\n'),
    chunk('\r\n--XX--\r\n'),
  ],
} as const;
type Form = keyof typeof FORMS;
const NAMES = Object.keys(FORMS) as Form[];

async function begin(url: string, form: Form = 'multipart', bytes = 'A'.repeat(400)): Promise<SlowClient> {
  const client = await openSlowClient(url);
  await client.send(FORMS[form][0] + chunk(bytes));
  return client;
}

async function finish(client: SlowClient, form: Form = 'multipart'): Promise<number> {
  await client.send(`${FORMS[form][1]}0\r\n\r\n`);
  return (await client.answer()).status;
}

describe.concurrent('receiving an upload', () => {
  it.each(NAMES)('UP-13 fails with 408 if a client stops sending, and holds nothing: %s', async (form) => {
    const { url, held } = await serve({ bodyMs: 150 });
    const client = await begin(url, form, 'QUJD');
    expect([(await client.answer()).status, held]).toEqual([408, []]);
  });

  it('UP-20 takes what arrives a little faster, for several windows', async () => {
    const { url, held } = await serve({ bodyMs: 400, maxFileBytes: 20_000 });
    const client = await begin(url, 'multipart', 'x');
    for (let n = 0; n < 40; n += 1) {
      await pause(40);
      await client.send(chunk('y'.repeat(300)));
    }
    expect(await finish(client)).toBe(200);
    expect(held[0]?.upload?.file?.size).toBe(12_001);
  });

  it('keeps files of middle size in memory until they are released, and larger ones in files', async () => {
    const { url, held } = await serve({ ...ONE_PLACE, middleBytes: 1_000, maxWaitMs: 5_000 });
    expect(await finish(await begin(url, 'multipart', 'x'.repeat(900)))).toBe(200);
    const large = finish(await begin(url, 'multipart', 'x'.repeat(1_100)));
    await pause(200);
    // The large one waits for the place of the other.
    expect(held.map(({ upload }) => upload?.file?.size)).toEqual([900]);
    held[0]?.release?.();
    expect(await large).toBe(200);
    expect(held.map(({ upload }) => 'chunks' in (upload?.file ?? {}))).toEqual([true, false]);
    expect(await finish(await begin(url, 'multipart', 'x'.repeat(700)))).toBe(200);
    expect(held.at(-1)?.upload?.file).toHaveProperty('chunks');
  });

  it('UP-20 does not count the time in which it waits for a place', async () => {
    const { url } = await serve({ ...ONE_PLACE, bodyMs: 300, maxFileBytes: 3_000_000 });
    const first = await begin(url);
    const timer = setInterval(() => void first.send(chunk('y'.repeat(100))), 20);
    await pause(20);
    // More than the server takes before it stops reading.
    const second = finish(await begin(url, 'multipart', 'x'.repeat(2_000_000)));
    await pause(1_000);
    clearInterval(timer);
    expect([await finish(first), await second]).toEqual([200, 200]);
  });
});

const PAIRS = [
  ['JSON', 'JSON'],
  ['JSON', 'form'],
  ['form', 'JSON'],
  ['multipart', 'multipart'],
] as const;

describe.concurrent('UP-21 large bodies wait for a place', () => {
  it.each(PAIRS)('%s holds back %s', async (first, second) => {
    const { url, held } = await serve({ ...ONE_PLACE, maxWaitMs: 5_000 });
    const holding = await begin(url, first);
    await pause(20);
    const waiting = finish(await begin(url, second), second);
    await pause(200);
    expect(held).toHaveLength(0);
    expect([await finish(holding, first), await waiting]).toEqual([200, 200]);
  });

  it.each(NAMES)('%s gets 503 with Retry-After after waiting too long', async (form) => {
    const { url } = await serve({ ...ONE_PLACE, maxWaitMs: 100 });
    const holding = await begin(url, form);
    await pause(50);
    const refused = await begin(url, form);
    const { status, head: said } = await refused.answer();
    expect([status, said]).toEqual([503, expect.stringMatching(/^retry-after: \d+$/im)]);
    holding.socket.destroy();
    expect(await finish(await begin(url, form), form)).toBe(200);
  });

  it.each(NAMES)('small ones do not wait: %s', async (form) => {
    const { url, held } = await serve({ ...ONE_PLACE, maxWaitMs: 5_000 });
    const holding = await begin(url, form);
    await pause(50);
    expect(await finish(await begin(url, form, 'QUJD'), form)).toBe(200);
    expect(held).toHaveLength(1);
    expect(await finish(holding, form)).toBe(200);
  });

  it.each(NAMES)('the place of a disconnected client is that of the next one: %s', async (form) => {
    const { url } = await serve({ ...ONE_PLACE, maxWaitMs: 5_000 });
    const first = await begin(url, form);
    await pause(20);
    const second = finish(await begin(url, form), form);
    first.socket.destroy();
    expect(await second).toBe(200);
  });
});

const memoryOf = (chunks: readonly Uint8Array[]): number =>
  chunks.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);

describe('UP-21 a body that arrives byte by byte', () => {
  it('is the same body, and takes memory for its bytes only', async () => {
    const { url, held } = await serve({ maxFileBytes: 300_000, smallBytes: 300_000 });
    const client = await openSlowClient(url);
    const text = Buffer.alloc(30_000, 7).toString('base64');
    const parts = Array.from(Buffer.from(`{"number":"\u00e9","bytecode":"${text}"}`), (byte) =>
      Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]),
    );
    await client.send(Buffer.concat([Buffer.from(head('application/json')), ...parts]));
    await client.send('0\r\n\r\n');
    expect((await client.answer()).status).toBe(200);
    const fields = held[0]?.body.fields;
    expect(fields).toMatchObject({ number: '\u00e9', bytecode: { content: { size: 30_000 } } });
    const { bytecode } = fields as unknown as {
      bytecode: { content: { chunks: readonly Buffer[] } };
    };
    expect(memoryOf(bytecode.content.chunks)).toBeLessThan(133_000);
  });

  it('takes memory for its bytes only as a file, too', async () => {
    const { url, held } = await serve({ maxFileBytes: 300_000, smallBytes: 300_000 });
    const client = await begin(url, 'multipart', 'x');
    await client.send(chunk('y').repeat(70_000));
    expect(await finish(client)).toBe(200);
    const file = held[0]?.upload?.file;
    const memory = memoryOf(file && 'chunks' in file ? file.chunks : []);
    expect(memory).toBeGreaterThan(70_000);
    expect(memory).toBeLessThan(210_000);
  });
});
