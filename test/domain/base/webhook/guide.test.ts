import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { answered } from '../../../support/dashboard.js';
import { freePort } from '../../../support/free-port.js';
import { scratchFolder } from '../../../support/scratch.js';
import { useServer } from '../../../support/server.js';
import { waitFor } from '../../../support/wait-for.js';
import { createGroups, createWebhook } from './hooks.js';

const server = useServer({ webhookNetworks: ['127.0.0.1'] }, { background: true });

it('the receiver of the guide takes what the server has signed, and nothing else', async () => {
  const guide = readFileSync(new URL('../../../../src/docs/use/webhooks.md', import.meta.url), 'utf8');
  const [, example = ''] = /```js\n(.*?)```/s.exec(guide) ?? [];
  const file = join(scratchFolder(), 'receiver.mjs');
  writeFileSync(file, example);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const { webhook, secret } = await createWebhook(server.acme, { url });
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret };
  const receiver = spawn(process.execPath, [file], { env });
  onTestFinished(() => void receiver.kill());
  let output = '';
  receiver.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));

  const query = `mutation { webhookTest(id: "${webhook.id}") { status } }`;
  await waitFor(async () =>
    expect(await answered(server.acme, query)).toEqual({ webhookTest: { status: 204 } }),
  );
  await createGroups(server.acme, ['North']);
  await waitFor(() => expect(output).toMatch(/^evt_\d+_\d+ group\.create \d+$/m));

  const timestamp = String(Math.floor(Date.now() / 1_000));
  const headers = { 'webhook-id': 'evt_1_1', 'webhook-timestamp': timestamp, 'webhook-signature': 'v1,AAAA' };
  const forged = await fetch(url, { method: 'POST', headers, body: '{"type":"group.create","data":{}}' });
  expect(forged.status).toBe(401);
});
