import { expect, it } from 'vitest';

import { expectSound } from '../support/browser.js';
import { recordAll } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { newTerminal } from '../support/terminals.js';
import { useConsoleOfOtherNode } from './pages.js';

const { server, open } = useConsoleOfOtherNode();

/** Records payments of terminals, each with NSU, authorization code and amount in cents. */
async function record(...payments: readonly (readonly [string, string, string, number])[]): Promise<void> {
  await server.app.units.write(server.acme.caller, (work) =>
    recordAll(
      work,
      payments.map(([serialNumber, nsu, authorizationCode, amount]) => ({
        transactionType: 'switch',
        serialNumber,
        logicalNumber: `number of ${serialNumber}`,
        appName: 'pay.posxml',
        status: 'success',
        startedAt: work.now,
        finishedAt: work.now,
        parsed: { type: 'sale', status: 'approved', amount, nsu, authorizationCode, card: {} },
      })),
    ),
  );
}

it('a payment is found by NSU, authorization or amount, with the other ones of its terminal, and new ones arrive', async () => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  for (const serialNumber of ['S-1', 'S-2']) await newTerminal(server.acme, serialNumber);
  await record(
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

  await record(['S-1', '000125', 'G7', 990], ['S-2', '000126', 'H8', 880]);
  await list.getByRole('row', { name: '8.80' }).waitFor();
  await others.getByRole('row', { name: '9.90' }).click();
  await panel.getByRole('heading', { name: 'Payment 9.90' }).waitFor();
  await page.goBack();
  await panel.getByRole('heading', { name: 'Payment 1,234.56' }).waitFor();
  await panel.getByRole('tab', { name: 'Facts' }).click();
  await panel.getByRole('link', { name: 'S-1' }).click();
  await page.getByRole('heading', { name: 'Devices' }).waitFor();
  await panel.getByRole('heading', { name: 'S-1' }).waitFor();
});
