import { describe, expect, it } from 'vitest';

import { createClient } from '../support/client.js';
import { commandLineWithUser, GOOD_PASSWORD } from '../support/program.js';

const ANA = { email: 'ana@acme.example', password: GOOD_PASSWORD };

async function signIn(url: string): Promise<string> {
  const reply = await createClient(url, null).post('users/token', ANA);
  expect(reply.status, reply.text).toBe(200);
  return (JSON.parse(reply.text) as { api_token: string }[])[0]?.api_token ?? '';
}

const statusOf = async (url: string, token: string): Promise<number> =>
  (await createClient(url, token).get('groups')).status;

describe('contract 25: a database whose secret was replaced', () => {
  it('token renew replaces a token of the former secret by one of the present secret', async () => {
    const { cli, token: old } = await commandLineWithUser();
    const changed = cli.with({ TOKEN_SECRET: 'another secret: 0123456789abcdef0123456789' });
    const { url } = await changed.serve();
    const renewed = await changed.run(['token', 'renew', '1', '--company', 'Acme']);
    expect([renewed.code, renewed.stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f]{40}\n$/)]);
    await expect.poll(() => statusOf(url, old)).toBe(401);
    expect(await statusOf(url, renewed.stdout.trim())).toBe(200);
    expect(await signIn(url)).toBe(renewed.stdout.trim());
  });
});
