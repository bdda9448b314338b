import { afterAll, beforeAll, expect, it } from 'vitest';

import { answered } from '../../../support/dashboard.js';
import { expectRefused, mutated } from '../../../support/mutations.js';
import { startServer, type TestServer } from '../../../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

const QUERY = '{ viewer { company { currency } } }';
const currencyOf = async (company: 'acme' | 'beta'): Promise<unknown> =>
  await answered(server[company], QUERY);

it('a company has no currency until it is set, and again after null', async () => {
  expect(await currencyOf('acme')).toEqual({ viewer: { company: { currency: null } } });
  const set = await mutated(server.acme, 'companySetCurrency', { currency: 'BRL' }, 'company { currency }');
  expect(set).toEqual({ company: { currency: 'BRL' } });
  expect(await currencyOf('acme')).toEqual({ viewer: { company: { currency: 'BRL' } } });
  expect(await currencyOf('beta')).toEqual({ viewer: { company: { currency: null } } });
  await mutated(server.acme, 'companySetCurrency', { currency: null });
  expect(await currencyOf('acme')).toEqual({ viewer: { company: { currency: null } } });
});

it.each(['REAL', 'brl', ''])('refuses %j as a currency, and changes nothing', async (currency) => {
  await expectRefused(server.beta, 'companySetCurrency', { currency }, 'INVALID currency');
  expect(await currencyOf('beta')).toEqual({ viewer: { company: { currency: null } } });
});
