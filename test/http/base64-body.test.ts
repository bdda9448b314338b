import type { Request } from 'express';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';

import { createBase64BodyReader, type HeldBody } from '../../src/http/body/base64-body.js';
import { isMultipart } from '../../src/http/body/body.js';
import { createUploadReader, type HeldUpload } from '../../src/http/body/multipart.js';
import type { UploadLimits } from '../../src/http/body/uploads.js';
import { HttpProblem } from '../../src/http/problem.js';
import { openSlowClient, type SlowClient } from '../support/slow-client.js';
import { CALLER, testUploads } from '../support/uploads.js';

let http: Server | undefined;
afterEach(async () => {
  http?.closeAllConnections();
  if (http?.listening === true) await once(http.close(), 'close');
});

/** A server with only the two readers, which share their one place. */
async function serve(
  limits: Partial<UploadLimits>,
): Promise<{ url: string; held: (HeldBody | HeldUpload)[] }> {
  const held: (HeldBody | HeldUpload)[] = [];
  const uploads = testUploads({ places: 1, placesOfKey: 1, smallBytes: 100, ...limits });
  const readUpload = createUploadReader(uploads);
  const readBody = createBase64BodyReader(uploads);
  const read = (request: IncomingMessage): Promise<HeldBody | HeldUpload> =>
    isMultipart(request) ? readUpload(request, CALLER) : readBody(request as Request, 'bytecode', CALLER);
  http = createServer((request, response) => {
    read(request).then(
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
  await once(http.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, held };
}

const head = (type: string): string =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Begins of bodies with 300 bytes in a field or file, and their ends. */
const FORMS = {
  JSON: [head('application/json') + chunk(`{"bytecode":"${'A'.repeat(400)}`), chunk('"}')],
  form: [
    head('application/x-www-form-urlencoded') + chunk(`number=1&bytecode=${'A'.repeat(400)}`),
    chunk('&more=1'),
  ],
  multipart: [
    head('multipart/form-data; boundary=XX') +
      chunk(`--XX\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\n${'x'.repeat(300)}`),
    chunk('\r\n--XX--\r\n'),
  ],
} as const;
type Form = keyof typeof FORMS;
const NAMES = Object.keys(FORMS) as Form[];

async function begin(url: string, form: Form): Promise<SlowClient> {
  const client = await openSlowClient(url);
  await client.send(FORMS[form][0]);
  return client;
}
const finish = (client: SlowClient, form: Form): Promise<void> => client.send(`${FORMS[form][1]}0\r\n\r\n`);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const pairs = NAMES.flatMap((first) => NAMES.map((second) => [first, second] as const));

describe('UP-21 large bodies of all forms wait for the same places', () => {
  it.each(pairs)('%s holds back %s', async (first, second) => {
    const { url, held } = await serve({ maxWaitMs: 5_000 });
    const holding = await begin(url, first);
    await pause(20);
    const waiting = await begin(url, second);
    await finish(waiting, second);
    await pause(200);
    expect(held).toHaveLength(0);
    await finish(holding, first);
    expect((await holding.answer()).status).toBe(200);
    expect((await waiting.answer()).status).toBe(200);
  });

  it.each(NAMES)('%s gets 503 with Retry-After after waiting too long', async (form) => {
    const { url } = await serve({ maxWaitMs: 100 });
    const holding = await begin(url, 'JSON');
    await pause(50);
    const refused = await begin(url, form);
    const { status, head: said } = await refused.answer();
    expect([status, said]).toEqual([503, expect.stringMatching(/^retry-after: \d+$/im)]);
    holding.socket.destroy();
    const next = await begin(url, form);
    await finish(next, form);
    expect((await next.answer()).status).toBe(200);
  });

  it('small ones do not wait', async () => {
    const { url, held } = await serve({ maxWaitMs: 5_000 });
    await begin(url, 'JSON');
    await pause(50);
    const small = await openSlowClient(url);
    await small.send(`${head('application/json')}${chunk('{"bytecode":"QUJD"}')}0\r\n\r\n`);
    expect((await small.answer()).status).toBe(200);
    expect(held).toHaveLength(1);
  });
});

describe('UP-21 a body that arrives byte by byte', () => {
  it('is the same body, and takes memory for its bytes only', async () => {
    const { url, held } = await serve({ maxFileBytes: 300_000, smallBytes: 300_000 });
    const client = await openSlowClient(url);
    const text = Buffer.alloc(90_000, 7).toString('base64');
    const body = `{"number":"\u00e9","bytecode":"${text}"}`;
    const bytes = Buffer.from(body);
    const parts = Array.from(bytes, (byte) =>
      Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]),
    );
    await client.send(
      Buffer.concat([Buffer.from(head('application/json')), ...parts, Buffer.from('0\r\n\r\n')]),
    );
    expect((await client.answer()).status).toBe(200);
    const [received] = held as HeldBody[];
    expect(received?.fields).toMatchObject({ number: '\u00e9', bytecode: { content: { size: 90_000 } } });
    const { content } = received?.fields.bytecode as { content: { chunks: readonly Buffer[] } };
    const memory = content.chunks.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
    expect(memory).toBeLessThan(400_000);
  });
});
