import { beforeAll, describe, expect, it } from 'vitest';

import { addPerson, signIn, tokensIn } from '../support/people.js';
import { sendRaw } from '../support/raw-http.js';
import { useServer } from '../support/server.js';

const PASSWORD = 'Zx7#unrepeatable-pass-phrase';
const MISTYPED = 'Qy8#mistyped-pass-phrase';

const server = useServer();
/** A token from the token endpoint, and an unknown one. */
let secrets: string[];
/** All responses of the server except those of the token endpoint. */
const answers: string[] = [];

beforeAll(async () => {
  const { email } = await addPerson(server, { acme: 'admin' }, { password: PASSWORD });
  const [entry] = tokensIn(await signIn(server, { email, password: PASSWORD }));
  const token = entry?.api_token ?? '';
  const unknown = 'f00dfacef00dfacef00dfacef00dfacef00dface';
  secrets = [token, unknown, server.acme.token, PASSWORD, MISTYPED];
  for (const secret of [token, unknown]) await sendEverywhere(secret);
  await signIn(server, { email, password: MISTYPED });
  await signIn(server, `email=${email}&password=${encodeURIComponent(MISTYPED)}`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  answers.push((await signIn(server, `{"email":"${email}","password":"${MISTYPED}"`)).text);
  answers.push((await server.anonymous.get('/metrics')).text);
});

/** The secret in every place of a request, valid or not. */
async function sendEverywhere(secret: string): Promise<void> {
  const { anonymous: client } = server;
  const bearer = { headers: { authorization: `Bearer ${secret}` } };
  const both = { ...bearer, query: { access_token: secret } };
  const large = JSON.stringify({ access_token: secret, filler: 'x'.repeat(1024 * 1024) });
  const replies = [
    await client.get('groups', undefined, { query: { access_token: secret } }),
    await client.get('groups', undefined, bearer),
    await client.get('groups', undefined, both),
    await client.get('groups', { access_token: secret }),
    await client.post('groups', `{"access_token":"${secret}"`, bearer),
    await client.post('groups', large, bearer),
    await client.post('groups', { [secret]: secret }, bearer),
    await client.get(`groups/${secret}`, undefined, bearer),
    await client.get(`/v1/${secret}`),
    await client.get(`/${secret}`),
    await client.get(`groups?${secret}=1&${secret}=2`),
    await client.request('PATCH', `groups/${secret}`),
    await client.get('groups', undefined, { headers: { 'x-request-id': `${secret} not harmless` } }),
    await client.get('groups', undefined, {
      headers: { 'user-agent': secret, referer: secret, cookie: secret },
    }),
    await client.post('/graphql', { query: `{ unknown(token: "${secret}") }` }, bearer),
  ];
  answers.push(...replies.map((reply) => JSON.stringify([...reply.headers]) + reply.text));
  for (const target of [`?access_token=%zz${secret}`, `/%zz${secret}`, ` ${secret} HTTP/9`]) {
    const bytes = `GET /v1/groups${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    answers.push((await sendRaw(server.url, bytes)).text);
  }
  await server.place.sql('alter table devices rename to lost');
  answers.push((await client.get('devices', { password: secret }, { query: { access_token: secret } })).text);
  await server.place.sql('alter table lost rename to devices');
}

/** Substrings of a secret long enough to help an attacker. */
function piecesOf(secret: string): string[] {
  return Array.from({ length: secret.length - 8 }, (_, start) => secret.slice(start, start + 9));
}

function requireNone(where: string, text: string): void {
  for (const piece of secrets.flatMap(piecesOf)) {
    expect(text.includes(piece), `${where} shows ${piece}`).toBe(false);
  }
}

describe('AT-17 tokens and passwords', () => {
  it('are in no log line', () => {
    expect(server.logs.length).toBeGreaterThan(30);
    expect(server.logs.some((line) => line.includes('unexpected error'))).toBe(true);
    requireNone('the log', server.logs.join(''));
  });

  it('are in no response, header or metric', () => {
    expect(answers.some((text) => text.includes('http_requests_total'))).toBe(true);
    // Not repeated as the name of an unknown record either.
    for (const text of answers) requireNone('an answer', text);
  });

  it('are not in the database and not in the ledger', async () => {
    await server.app.housekeeping.run();
    const rows = await server.place.sql('select * from ledger');
    expect(rows.length).toBeGreaterThan(3);
    requireNone('the ledger', JSON.stringify(rows));
    requireNone('the database', await server.place.stored());
  });
});
