import { afterAll, beforeAll, expect, it } from 'vitest';

import type { Server } from '../../../../src/app/server.js';
import { openBrowser, OWN_PAGE, signedIn } from '../../../support/console.js';
import {
  addPasskey,
  optionsOf,
  payloadOf,
  SIGN_IN_BY_PASSKEY,
  SIGN_IN_TWICE,
} from '../../../support/passkeys.js';
import { addPerson, PASSWORD } from '../../../support/people.js';
import { openServer, useServer } from '../../../support/server.js';

const PUBLIC_URL = 'https://gateway.example';
const server = useServer({ publicUrl: PUBLIC_URL });
let other: Server;
let url: string;
beforeAll(async () => {
  other = await openServer(server.place.url, undefined, { publicUrl: PUBLIC_URL });
  url = await other.start();
});
afterAll(() => other.stop(1_000));

it('a challenge and a recovery code count once over two nodes', async () => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  const { authenticator, codes } = await addPasskey(await signedIn(server.url, email), PUBLIC_URL);
  const passkey = authenticator.get(await optionsOf(openBrowser(url)));
  for (const [query, variables] of [
    [SIGN_IN_BY_PASSKEY, { passkey }],
    [SIGN_IN_TWICE, { email, password: PASSWORD, secondFactor: { recoveryCode: codes[0] } }],
  ] as const) {
    const payloads = await Promise.all(
      [server.url, url, server.url, url].map((node) =>
        payloadOf(openBrowser(node, OWN_PAGE), query, variables),
      ),
    );
    expect(payloads.filter(({ viewer }) => viewer !== null)).toHaveLength(1);
    expect(payloads.flatMap(({ userErrors }) => userErrors.map(({ rule }) => rule))).toEqual(
      Array.from({ length: 3 }, () => 'wrong_passkey'),
    );
  }
});
