import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';

import { createUploadReader, type HeldUpload } from '../../src/http/body/multipart.js';
import type { UploadLimits } from '../../src/http/body/uploads.js';
import { HttpProblem } from '../../src/http/problem.js';
import { openSlowClient, type SlowClient } from '../support/slow-client.js';
import { CALLER, rateOver, testUploads } from '../support/uploads.js';

let http: Server | undefined;
afterEach(async () => {
  http?.closeAllConnections();
  if (http?.listening === true) await once(http.close(), 'close');
});

const START =
  'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=XX\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const FILE = chunk('--XX\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\n');
const ONE_PLACE = { places: 1, placesOfKey: 1, smallBytes: 100 };
const END = `${chunk('\r\n--XX--\r\n')}0\r\n\r\n`;

/** A server with only the reader: 200 with the size of the file, or the status of the error. */
async function serve(limits: Partial<UploadLimits>): Promise<{ url: string; held: HeldUpload[] }> {
  const held: HeldUpload[] = [];
  const read = createUploadReader(testUploads(limits));
  http = createServer((request, response) => {
    read(request, CALLER).then(
      (upload) => {
        held.push(upload);
        response.end(String(upload.file?.size));
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

async function begin(url: string, bytes: string): Promise<SlowClient> {
  const client = await openSlowClient(url);
  await client.send(START + FILE + chunk(bytes));
  return client;
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('receiving an upload', () => {
  it('UP-13 fails with 408 if a client stops sending', async () => {
    const { url } = await serve(rateOver(150));
    const client = await begin(url, 'x');
    expect((await client.answer()).status).toBe(408);
  });

  it('UP-20 fails with 408 if a client sends less than 1 KiB a second, whenever it begins to', async () => {
    const { url } = await serve(rateOver(500));
    const client = await begin(url, 'x'.repeat(8_000));
    const timer = setInterval(() => void client.send(chunk('y')), 20);
    const { status } = await client.answer();
    clearInterval(timer);
    expect(status).toBe(408);
  });

  it('UP-20 takes what arrives a little faster, for several windows', async () => {
    const { url, held } = await serve({ ...rateOver(400), maxFileBytes: 20_000 });
    const client = await begin(url, 'x');
    for (let n = 0; n < 40; n += 1) {
      await pause(40);
      await client.send(chunk('y'.repeat(300)));
    }
    await client.send(END);
    expect((await client.answer()).status).toBe(200);
    expect(held[0]?.file?.size).toBe(12_001);
  });

  it('reads as many large files at once as there are places, and small ones at once', async () => {
    const { url, held } = await serve({ ...ONE_PLACE, maxWaitMs: 5_000 });
    const first = await begin(url, 'x'.repeat(200));
    await pause(20);
    const second = await begin(url, 'x'.repeat(300));
    const small = await begin(url, 'x'.repeat(100));
    await small.send(END);
    expect(await small.answer()).toMatchObject({ status: 200 });
    await second.send(END);
    await pause(200);
    expect(held.map((upload) => upload.file?.size)).toEqual([100]);
    await first.send(END);
    expect((await first.answer()).status).toBe(200);
    expect((await second.answer()).status).toBe(200);
    expect(held.map((upload) => upload.file?.size)).toEqual([100, 200, 300]);
  });

  it('keeps files of middle size in memory until they are released, and larger ones in files', async () => {
    const { url, held } = await serve({ ...ONE_PLACE, middleBytes: 1_000, maxWaitMs: 5_000 });
    const middle = await begin(url, 'x'.repeat(900));
    await middle.send(END);
    expect((await middle.answer()).status).toBe(200);
    const large = await begin(url, 'x'.repeat(1_100));
    await large.send(END);
    await pause(200);
    // The large one waits for the place of the other.
    expect(held.map(({ file }) => file?.size)).toEqual([900]);
    held[0]?.release();
    expect((await large.answer()).status).toBe(200);
    expect(held.map(({ file }) => file !== null && 'chunks' in file)).toEqual([true, false]);
    const next = await begin(url, 'x'.repeat(700));
    await next.send(END);
    expect((await next.answer()).status).toBe(200);
    expect(held.at(-1)?.file).toHaveProperty('chunks');
  });

  it('UP-20 does not count the time in which it waits for a place', async () => {
    const { url } = await serve({ ...ONE_PLACE, ...rateOver(300), maxFileBytes: 3_000_000 });
    const first = await begin(url, 'x'.repeat(200));
    const timer = setInterval(() => void first.send(chunk('y'.repeat(100))), 20);
    await pause(20);
    // More than the server takes before it stops reading.
    const second = await begin(url, 'x'.repeat(2_000_000));
    await second.send(END);
    await pause(1_000);
    clearInterval(timer);
    await first.send(END);
    expect((await first.answer()).status).toBe(200);
    expect((await second.answer()).status).toBe(200);
  });

  it('fails with 503 and Retry-After after waiting too long', async () => {
    const { url } = await serve({ ...ONE_PLACE, maxWaitMs: 100 });
    const first = await begin(url, 'x'.repeat(200));
    await pause(20);
    const second = await begin(url, 'x'.repeat(200));
    const { status, head } = await second.answer();
    expect(status).toBe(503);
    expect(head).toMatch(/^retry-after: \d+$/im);
    await first.send(END);
    expect((await first.answer()).status).toBe(200);
    const third = await begin(url, 'x'.repeat(200));
    await third.send(END);
    expect((await third.answer()).status).toBe(200);
  });

  it('gives the place of a disconnected client to the next one', async () => {
    const { url } = await serve({ ...ONE_PLACE, maxWaitMs: 5_000 });
    const first = await begin(url, 'x'.repeat(200));
    await pause(20);
    const second = await begin(url, 'x'.repeat(200));
    first.socket.destroy();
    await second.send(END);
    expect((await second.answer()).status).toBe(200);
    const third = await begin(url, 'x'.repeat(200));
    await third.send(END);
    expect((await third.answer()).status).toBe(200);
  });

  it('uses memory for the bytes only if a client sends them one by one', async () => {
    const { url, held } = await serve({ maxFileBytes: 300_000, smallBytes: 300_000 });
    const client = await begin(url, 'x');
    await client.send(chunk('y').repeat(200_000) + END);
    expect((await client.answer()).status).toBe(200);
    const [file] = held.map((upload) => upload.file);
    const chunks = file && 'chunks' in file ? file.chunks : [];
    const bytes = chunks.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
    expect(bytes).toBeGreaterThan(200_000);
    expect(bytes).toBeLessThan(600_000);
  });
});
