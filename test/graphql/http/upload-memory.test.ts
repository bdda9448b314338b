import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';

import { answered, changed } from '../../support/dashboard.js';
import { useServer } from '../../support/server.js';
import { graphqlPost, MULTIPART, openSlowClient, type SlowClient } from '../../support/slow-client.js';
import { carrying } from '../../support/uploading.js';

/** Large uploads of one company that are received at the same time. */
const SLOTS = 8;
const KILOBYTE = 1024;

const server = useServer();

const CREATE = `mutation ($file: Upload!) { fileCreate(input: { file: $file }) { file { content } userErrors { path } } }`;
const END = '\r\n--X--\r\n';

let number = 0;
function bodyOf(bytes: number): string {
  const part = (name: string, value: string): string =>
    `--X\r\nContent-Disposition: form-data; name=${name}\r\n\r\n${value}\r\n`;
  const operations = JSON.stringify({ query: CREATE, variables: { file: null } });
  const fields = part('operations', operations) + part('map', '{ "0": ["variables.file"] }');
  number += 1;
  return `${fields}--X\r\nContent-Disposition: form-data; name="0"; filename="${number}.bin"\r\n\r\n${'x'.repeat(bytes)}`;
}

/** Sends an upload without its last `missing` bytes, and does not read the response. */
async function upload(bytes: number, missing = 0): Promise<SlowClient> {
  const client = await openSlowClient(server.url);
  const body = bodyOf(bytes) + (missing > 0 ? '' : END);
  client.socket.pause();
  await client.send(graphqlPost(server.acme.token, body, { headers: MULTIPART, missing }));
  return client;
}

const rest = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 200));

/** Uploads another file, which ends only if there is a place for it. */
async function uploadAnother(): Promise<void> {
  const file = { bytes: randomBytes(300 * KILOBYTE), name: `another${++number}.bin` };
  const stored = await changed(carrying(server, server.acme, file), CREATE.replace('content', 'size'));
  expect(stored).toMatchObject({ userErrors: [] });
}

it('an upload gives its place back when it is stored, also where the response is read slowly', async () => {
  const slow = await Promise.all(Array.from({ length: SLOTS }, () => upload(12 * 1024 * KILOBYTE)));
  const files = () => answered(server.acme, '{ files { totalCount } }');
  await expect.poll(files).toEqual({ files: { totalCount: SLOTS } });
  await rest();
  await uploadAnother();
  for (const { socket } of slow) socket.destroy();
});
