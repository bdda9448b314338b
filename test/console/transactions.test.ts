import { expect, it } from 'vitest';

import { expectSound } from '../support/browser.js';
import { recordAll } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { newTerminal } from '../support/terminals.js';
import { useConsoleOfOtherNode, WINDOWS } from './pages.js';

const { server, open } = useConsoleOfOtherNode();

type Payment = readonly [
  serialNumber: string,
  nsu: string,
  authorizationCode: string,
  amount: number,
  statusReason?: string,
];

/** Records payments with amounts in cents. */
async function record(company: 'acme' | 'beta', ...payments: readonly Payment[]): Promise<void> {
  await server.app.units.write(server[company].caller, (work) =>
    recordAll(
      work,
      payments.map(([serialNumber, nsu, authorizationCode, amount, statusReason]) => ({
        transactionType: 'switch',
        serialNumber,
        logicalNumber: `number of ${serialNumber}`,
        appName: 'pay.posxml',
        status: 'success',
        startedAt: work.now,
        finishedAt: work.now,
        parsed: { type: 'sale', status: 'approved', amount, nsu, authorizationCode, statusReason, card: {} },
      })),
    ),
  );
}

it('a payment is found by NSU, authorization or amount, with the other ones of its terminal, and new ones arrive', async () => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  for (const serialNumber of ['S-1', 'S-2']) await newTerminal(server.acme, serialNumber);
  await record(
    'acme',
    ['S-1', '000123', 'A1B2C3', 123_456],
    ['S-1', '000124', 'D4E5F6', 500],
    ['S-2', '9', 'X', 700],
  );

  const page = await open('/transactions', { email });
  const list = page.getByRole('grid', { name: 'Transactions' });
  await page.getByText('3 records').waitFor();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByLabel('NSU', { exact: true }).waitFor();
  await expectSound(page);
  for (const [field, value, chip] of [
    ['NSU', '000123', 'NSU'],
    ['Authorization', 'A1B2C3', 'Authorization'],
    ['Amount from', '1,234.56', 'Amount'],
  ] as const) {
    await page.getByLabel(field, { exact: true }).fill(value);
    await page.getByText('1 record').waitFor();
    await list.getByRole('row', { name: '1,234.56' }).waitFor();
    await page.getByRole('button', { name: new RegExp(`Remove.*${chip}`) }).click();
    await page.getByText('3 records').waitFor();
  }

  const from = page.getByLabel('Amount from', { exact: true });
  for (const [typed, shown] of [
    ['12.', '12.00'],
    ['5', '12.50'],
  ] as const) {
    await from.pressSequentially(typed);
    await page.getByText(`Amount: from ${shown}`).waitFor();
  }
  await page.getByRole('button', { name: /Remove.*Amount/ }).click();
  await page.getByText('3 records').waitFor();

  await list.getByRole('row', { name: '1,234.56' }).click();
  const panel = page.getByRole('complementary');
  await panel.getByRole('heading', { name: 'Payment 1,234.56' }).waitFor();
  await panel.getByText('A1B2C3').waitFor();
  await panel.getByRole('tab', { name: 'Same terminal' }).click();
  const others = panel.getByRole('grid', { name: 'Same terminal' });
  await others.getByRole('row', { name: '5.00' }).waitFor();
  expect(await others.getByRole('row', { name: '7.00' }).count()).toBe(0);

  await record('acme', ['S-1', '000125', 'G7', 990], ['S-2', '000126', 'H8', 880]);
  await list.getByRole('row', { name: '8.80' }).waitFor();
  await others.getByRole('row', { name: '9.90' }).click();
  await panel.getByRole('heading', { name: 'Payment 9.90' }).waitFor();
  await page.goBack();
  await panel.getByRole('heading', { name: 'Payment 1,234.56' }).waitFor();
  await panel.getByRole('tab', { name: 'Facts' }).click();
  await panel.getByRole('link', { name: 'S-1', exact: true }).click();
  await page.getByRole('heading', { name: 'Devices' }).waitFor();
  await panel.getByRole('heading', { name: 'S-1' }).waitFor();
});

const PAYMENT_WORDS = {
  'en-US': ['Sale', 'Credit', 'Contactless', 'Approved'],
  'pt-BR': ['Venda', 'Crédito', 'Por aproximação', 'Aprovado'],
} as const;

it.each(WINDOWS)('a payment is told in words, and leads to its number and device: $name', async (own) => {
  const { email } = await addPerson(server, { acme: 'admin' });
  const serialNumber = `told ${own.locale}`;
  await newTerminal(server.acme, serialNumber);
  await server.app.units.write(server.acme.caller, (work) =>
    recordAll(work, [
      {
        transactionType: 'switch',
        serialNumber,
        logicalNumber: `number of ${serialNumber}`,
        appName: 'pay.posxml',
        status: 'success',
        startedAt: work.now,
        finishedAt: work.now,
        parsed: {
          type: 'sale',
          status: 'approved',
          amount: 4_200,
          paymentMethod: 'credit',
          captureMethod: 'contactless',
          card: {},
        },
      },
    ]),
  );
  const filter = encodeURIComponent(JSON.stringify({ serialNumber: { eq: serialNumber } }));
  const page = await open(`/transactions?filter=${filter}`, { email, ...own });
  const list = page.getByRole('grid').first();
  await list.getByRole('row').nth(1).click();
  const panel = page.getByRole('complementary');
  for (const value of PAYMENT_WORDS[own.locale])
    await panel.getByText(value, { exact: true }).first().waitFor();
  await expectSound(page);
  await panel.getByRole('link', { name: `number of ${serialNumber}` }).click();
  await list.getByRole('row', { name: `number of ${serialNumber}` }).waitFor();
  await page.goBack();
  await page.keyboard.press('Escape');
  await list.getByRole('link', { name: serialNumber, exact: true }).click();
  await panel.getByRole('heading', { name: serialNumber }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/devices');
});

it('amounts are shown and filtered in the currency of the company, with its decimals', async () => {
  const { email } = await addPerson(server, { beta: 'admin' });
  await newTerminal(server.beta, 'S-9');
  await record('beta', ['S-9', '1', 'A', 123_456], ['S-9', '2', 'B', 700]);
  const page = await open('/settings', { email });
  const list = page.getByRole('grid', { name: 'Transactions' });
  for (const [currency, amount, typed] of [
    ['JPY', '¥123,456', '123456'],
    ['BRL', 'R$1,234.56', '1,234.56'],
    ['KWD', 'KWD\u00a0123.456', '123.456'],
  ] as const) {
    await page.getByLabel('Currency of amounts').selectOption(currency);
    await page.getByRole('button', { name: 'Set currency' }).click();
    await page.getByRole('link', { name: 'Transactions' }).click();
    await list.getByRole('row', { name: amount }).waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Amount from', { exact: true }).fill(typed);
    await page.getByText('1 record', { exact: true }).waitFor();
    await page.goto(new URL('/console/settings', page.url()).href);
  }
});

it('a reason has the text that the company gave its code, in settings, lists and the record', async () => {
  const { email } = await addPerson(server, { beta: 'admin' });
  const page = await open('/settings', { email });
  await page.getByText('No own texts.').waitFor();
  await page.getByLabel('Code', { exact: true }).fill('Z7');
  await page.getByLabel('Meaning', { exact: true }).fill('Limit of the shop');
  await page.getByRole('button', { name: 'Set text' }).click();
  await page.getByRole('row', { name: 'Z7 Limit of the shop' }).waitFor();
  await expectSound(page);
  await newTerminal(server.beta, 'S-10');
  await record('beta', ['S-10', '77', 'Z', 1, 'Z7']);
  await page.goto(new URL('/console/transactions', page.url()).href);
  await page.getByRole('row', { name: '77' }).click();
  await page.getByRole('complementary').getByText('Z7 Limit of the shop').waitFor();
  await page.goto(new URL('/console/settings', page.url()).href);
  await page.getByRole('row', { name: 'Z7' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No own texts.').waitFor();
});
