import { describe, expect, it } from 'vitest';

import { signedIn } from '../../support/console.js';
import { addPerson } from '../../support/people.js';
import { useServer } from '../../support/server.js';

const server = useServer();

describe('the cookie of a session', () => {
  it('counts for a link to an export in a page of the server, and for no other', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    const cookie = (await signedIn(server.url, email)).cookie ?? '';
    const status = async (headers: Readonly<Record<string, string>>, path = '/export/v1/groups') =>
      (await server.anonymous.get(path, undefined, { headers: { cookie, ...headers } })).status;
    const referer = `${server.url}/console/devices`;
    expect(await status({ 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await status({ referer })).toBe(200);
    expect(await status({ 'sec-fetch-site': 'same-origin' }, '/export/v1/tokens')).toBe(403);
    const others: Readonly<Record<string, string>>[] = [
      { 'sec-fetch-site': 'cross-site', referer },
      { 'sec-fetch-site': 'same-site', referer },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' },
      { referer: 'https://shop.example/' },
      {},
    ];
    for (const headers of others) expect(await status(headers), JSON.stringify(headers)).toBe(401);
  });
});
