import { expect, it } from 'vitest';

import { RESPONSE_CODES } from '../../../../src/domain/payments/transaction/response-code.model.js';
import { answered } from '../../../support/dashboard.js';
import { useServer } from '../../../support/server.js';

const server = useServer();

it('response codes are in order, each with a text in both languages, and everybody may read them', async () => {
  const viewer = await server.member('acme', 'viewer');
  const { responseCodes } = await answered<{ responseCodes: typeof RESPONSE_CODES }>(
    viewer,
    '{ responseCodes { code english portuguese } }',
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
  });
});
