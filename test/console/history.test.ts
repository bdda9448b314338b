import { expect, it } from 'vitest';

import { finishTransaction } from '../../src/domain/payments/transaction/recording/transaction-recording.service.js';
import { getTransaction } from '../../src/domain/payments/transaction/transaction.service.js';
import { expectSound } from '../support/browser.js';
import { listed, nodeId } from '../support/dashboard.js';
import { fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { sell } from '../support/sales.js';
import { newTerminal, report } from '../support/terminals.js';
import { useConsole, WINDOWS } from './pages.js';

const { server, open } = useConsole();

const TEXTS = {
  'en-US': {
    terminal: 'The terminal itself',
    routine: 'Payments, and changes by jobs: No',
    changed: /Changed Transaction/,
    sale: ['Type Sale', 'Status Approved', 'Capture Contactless', 'Amount 12.50', 'Method Credit'],
    versions: '2 app versions: ',
    version: /App version \S.* \S+$/,
    battery: 'Battery',
    reported: /Reported by the terminal/,
  },
  'pt-BR': {
    terminal: 'O próprio terminal',
    routine: 'Pagamentos e alterações por tarefas: Não',
    changed: /Alterado Transação/,
    sale: ['Tipo Venda', 'Situação Aprovado', 'Captura Por aproximação', 'Valor 12,50', 'Meio Crédito'],
    versions: '2 versões de aplicativos: ',
    version: /Versão de aplicativo \S.* \S+$/,
    battery: 'Bateria',
    reported: /Informado pelo terminal/,
  },
} as const;

const PAYMENT = {
  acquirer: 'stone',
  type: 'sale',
  status: 'approved',
  statusReason: null,
  captureMethod: 'contactless',
  amount: 1250,
  paymentMethod: 'credit',
  nsu: '42',
  authorizationCode: null,
  transactionId: null,
};

/** A payment of a terminal that has begun, and then was approved. */
async function pay(serialNumber: string): Promise<void> {
  const { acme, app, clock } = server;
  await sell(server, acme, [{ serialNumber, sale: 'running', at: clock.now().getTime() }]);
  const ids = await listed(acme, 'Transaction', 'databaseId', {});
  const id = Math.max(...ids.map(Number));
  await app.units.write(acme.caller, async (work) =>
    finishTransaction(work, await getTransaction(work, id), { status: 'success', parsed: PAYMENT }),
  );
}

it.each(WINDOWS)('changes are told in words: $name', async ({ locale, viewport }) => {
  const { acme } = server;
  const texts = TEXTS[locale];
  const { email } = await addPerson(server, { acme: 'admin' });
  const serialNumber = `T-${locale}`;
  const { token } = await newTerminal(acme, serialNumber);
  await report(server, token, { meta: { battery_level: '70' } });
  const group = await fleet.group(acme.client, `Gone ${locale}`);
  const appVersionIds = await fleet.appVersions(acme.client, 2, [group]);
  const links = { group_id: group, app_version_ids: appVersionIds };
  const number = await fleet.logicalNumber(acme.client, `N-${locale}`, links);
  const moved = await acme.client.put(`logical_numbers/N-${locale}`, { group_id: null, app_version_ids: [] });
  expect(moved.status).toBe(200);
  await pay(serialNumber);

  const page = await open('/ledger', { email, locale, viewport });
  const panel = page.getByRole('complementary');
  const device = page.getByRole('row', { name: serialNumber }).filter({ hasText: texts.reported });
  await device.waitFor();
  // A version is named with its app.
  await page.getByRole('row', { name: texts.version }).first().waitFor();
  expect(await page.getByRole('row', { name: texts.changed }).count()).toBe(0);
  await expectSound(page);
  await device.click();
  await panel.getByText(texts.terminal).waitFor();
  await panel.getByText(texts.battery).waitFor();
  await page.goBack();
  const chip = page.getByRole('listitem').filter({ hasText: texts.routine });
  await chip.getByRole('button').click();
  await page.getByRole('row', { name: texts.changed }).first().click();
  for (const part of texts.sale) await panel.getByText(part).waitFor();
  await expectSound(page);
  expect(await panel.textContent()).not.toMatch(/[{}[\]"]/);

  await page.goto(
    `${server.url}/console/logical-numbers?open=${nodeId('LogicalNumber', number)}&tab=history`,
  );
  await panel.getByText(texts.versions).first().waitFor();
  await panel.getByText(`Gone ${locale}`).first().waitFor();
  await expectSound(page);
});
