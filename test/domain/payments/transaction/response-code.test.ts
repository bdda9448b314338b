import { expect, it } from 'vitest';

import { RESPONSE_CODES } from '../../../../src/domain/payments/transaction/response-code.model.js';
import { answered } from '../../../support/dashboard.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import { useServer } from '../../../support/server.js';

const server = useServer();

it('response codes are in order, each with a text in both languages, and everybody may read them', async () => {
  const viewer = await server.member('acme', 'viewer');
  const { responseCodes } = await answered<{ responseCodes: typeof RESPONSE_CODES }>(
    viewer,
    '{ responseCodes { code english portuguese isOwn } }',
  );
  expect(responseCodes).toEqual(RESPONSE_CODES);
  const codes = responseCodes.map(({ code }) => code);
  expect(codes).toEqual([...new Set(codes)].sort());
  for (const { code, english, portuguese } of responseCodes) {
    expect(code).toMatch(/^\d{2}$/);
    for (const text of [english, portuguese]) expect(text).toMatch(/^\p{Lu}.+/u);
  }
  expect(responseCodes).toContainEqual({
    code: '51',
    english: 'Insufficient funds',
    portuguese: 'Saldo insuficiente',
    isOwn: false,
  });
});

const QUERY = '{ responseCodes { code english isOwn } }';
interface Shown {
  readonly responseCodes: readonly { code: string; english: string; isOwn: boolean }[];
}

it('a company has its own texts, for codes of ISO 8583 and others, and other companies have none of them', async () => {
  const set = (code: string, text: string | null) =>
    mutated(server.acme, 'companySetResponseText', { code, text });
  await set('05', 'Ask the bank');
  await set('B1', 'Call the helpdesk');
  const { responseCodes } = await answered<Shown>(server.acme, QUERY);
  const own = responseCodes.filter(({ isOwn }) => isOwn);
  expect(own).toEqual([
    { code: '05', english: 'Ask the bank', isOwn: true },
    { code: 'B1', english: 'Call the helpdesk', isOwn: true },
  ]);
  expect(responseCodes).toHaveLength(RESPONSE_CODES.length + 1);
  const others = await answered<Shown>(server.beta, QUERY);
  expect(others.responseCodes).toHaveLength(RESPONSE_CODES.length);
  await set('05', null);
  await set('B1', null);
  expect((await answered<Shown>(server.acme, QUERY)).responseCodes.filter(({ isOwn }) => isOwn)).toEqual([]);
});

it.each([
  ['an empty code', { code: '', text: 'x' }, 'INVALID code'],
  ['a code that is too long', { code: '12345678901', text: 'x' }, 'INVALID code'],
  ['an empty text', { code: '05', text: '' }, 'INVALID text'],
  ['a text that is too long', { code: '05', text: 'x'.repeat(101) }, 'INVALID text'],
])('refuses %s, and changes nothing', async (_what, variables, error) => {
  await expectRefused(server.acme, 'companySetResponseText', variables, error);
  const { responseCodes } = await answered<Shown>(server.acme, QUERY);
  expect(responseCodes.filter(({ isOwn }) => isOwn)).toEqual([]);
});

it('refuses a text of the 101st code', async () => {
  const texts = JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`C${n}`, 'text'])));
  const { companyId } = server.beta.caller;
  await server.place.sql(`update companies set response_texts = '${texts}' where id = ${companyId}`);
  const variables = { code: 'C100', text: 'one more' };
  await expectRefused(server.beta, 'companySetResponseText', variables, 'INVALID responseTexts', /100/);
});
