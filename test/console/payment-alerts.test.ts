import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import { HOUR, MINUTE } from '../../src/platform/clock.js';
import { addDevices, after } from '../domain/base/alert/alerts.js';
import { payment, record } from '../domain/payments/transaction/records.js';
import { addPerson } from '../support/people.js';
import { expectSoundInSizes, picked, PORTUGUESE_TELEPHONE, useConsole, WINDOWS } from './pages.js';

const { server, open } = useConsole();
let email: string;
beforeAll(async () => {
  ({ email } = await addPerson(server, { acme: 'admin' }));
  await addDevices(server.acme, ['SHOP-1', 'SHOP-2']);
});

const WORDS = {
  en: {
    newRule: 'New rule',
    name: 'Name',
    kind: 'Kind',
    lowApproval: 'Low share approved',
    help: 'Share of payments that are not denied, of the time up to now.',
    below: 'Below percent',
    minPayments: 'Minimum payments',
    looksAt: 'Looks at',
    together: 'All payments together',
    terminals: 'A number of terminals',
    create: 'Create',
    edit: 'Edit',
    save: 'Save',
    found: /^Approved 40% of 5 payments, .+ (AM|PM)$/,
    ofTerminal: /Approved 25% of 4 payments, /,
    all: 'All of them',
  },
  pt: {
    newRule: 'Nova regra',
    name: 'Nome',
    kind: 'Tipo',
    lowApproval: 'Poucos aprovados',
    help: 'Parcela dos pagamentos que não são negados, no tempo até agora.',
    below: 'Abaixo de %',
    minPayments: 'Mínimo de pagamentos',
    looksAt: 'Observa',
    together: 'Todos os pagamentos juntos',
    terminals: 'Um número de terminais',
    create: 'Criar',
    edit: 'Editar',
    save: 'Salvar',
    found: /^Aprovados 40% de 5 pagamentos, .+\d{2}:\d{2}$/,
    ofTerminal: /Aprovados 25% de 4 pagamentos, /,
    all: 'Todos eles',
  },
} as const;

const button = (page: Page, label: string) => page.getByRole('button', { name: label, exact: true });
const panel = (page: Page) => page.getByRole('complementary');

/** Records payments of a terminal that begin now. */
async function pay(serialNumber: string, statuses: readonly string[]): Promise<void> {
  const startedAt = server.clock.now();
  const rows = statuses.map((status) => ({
    ...payment({ status, amount: 1_000 }),
    serialNumber,
    startedAt,
    finishedAt: startedAt,
  }));
  await record(server, server.acme, rows);
}

it.each(WINDOWS)(
  'few approved payments are seen with numbers and lead to them: $name',
  async ({ name, ...window }) => {
    const text = name.startsWith('English') ? WORDS.en : WORDS.pt;
    const title = `Approvals, ${name}`;
    await after(server, 2 * HOUR);
    const page = await open('/alert-rules', { email, ...window });
    await button(page, text.newRule).click();
    const form = page.getByRole('dialog', { name: text.newRule });
    await form.getByLabel(text.name, { exact: true }).fill(title);
    await picked(form, text.kind, text.lowApproval);
    await form.getByText(text.help).waitFor();
    await form.getByLabel(text.below, { exact: true }).fill('60');
    await form.getByLabel(text.minPayments, { exact: true }).fill('4');
    await expectSoundInSizes(page);
    await form.getByRole('button', { name: text.create }).click();
    await panel(page).getByText(text.together).waitFor();

    await pay('SHOP-1', ['denied', 'denied', 'approved', 'denied']);
    await pay('SHOP-2', ['approved']);
    await after(server, MINUTE);
    await page.goto(`${server.url}/console/alerts`);
    await page.getByRole('grid').getByText(text.found).first().click();
    await expectSoundInSizes(page);
    await panel(page).getByRole('link', { name: text.all }).click();
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'SHOP-' }).count()).toBe(5);

    await page.goto(`${server.url}/console/alert-rules`);
    await page.getByRole('grid').getByText(title).click();
    await button(page, text.edit).click();
    await picked(panel(page), text.looksAt, text.terminals);
    await button(page, text.save).click();
    await panel(page).getByText(text.terminals).waitFor();
    await after(server, MINUTE);
    await page.goto(`${server.url}/console/alerts`);
    await page.getByRole('row').filter({ hasText: title }).first().click();
    await panel(page).getByText(text.ofTerminal).waitFor();
    await expectSoundInSizes(page);
    await panel(page).getByRole('link', { name: 'SHOP-1' }).click();
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'SHOP-' }).count()).toBe(4);
  },
);

it('a rule on terminals that sell nothing has the hours and days of the shop', async () => {
  const page = await open('/alert-rules', { email, ...PORTUGUESE_TELEPHONE });
  await button(page, WORDS.pt.newRule).click();
  const form = page.getByRole('dialog', { name: WORDS.pt.newRule });
  await form.getByLabel(WORDS.pt.name, { exact: true }).fill('Nothing sold');
  await picked(form, WORDS.pt.kind, 'Sem pagamentos');
  await form.getByLabel('Sem pagamentos por').fill('30m');
  await picked(form, 'Abre com', WORDS.pt.terminals);
  await picked(form, 'Da hora', '0:00');
  await picked(form, 'Até a hora', '24:00');
  for (const day of ['Segunda-feira', 'Domingo']) await form.getByRole('checkbox', { name: day }).check();
  await expectSoundInSizes(page);
  await form.getByRole('button', { name: WORDS.pt.create }).click();
  await panel(page).getByText('Segunda-feira, Domingo').waitFor();
  await button(page, WORDS.pt.edit).click();
  for (const day of ['Segunda-feira', 'Domingo']) {
    await panel(page).getByRole('checkbox', { name: day }).uncheck();
  }
  await button(page, WORDS.pt.save).click();
  await panel(page).getByText('Segunda-feira, Domingo').waitFor({ state: 'hidden' });
  await pay('SHOP-2', ['denied']);
  await after(server, 45 * MINUTE);
  await page.goto(`${server.url}/console/alerts`);
  await page
    .getByRole('grid')
    .getByText(/^Sem pagamentos: \d \/ \d$/)
    .click();
  await panel(page)
    .getByText(/Nenhum pagamento desde/)
    .first()
    .waitFor();
  await expectSoundInSizes(page);
  await panel(page).getByRole('link', { name: 'SHOP-2' }).click();
  await page.getByRole('row').filter({ hasText: 'SHOP-2' }).waitFor();
});

it('a rule keeps an amount in the unit of the company', async () => {
  const page = await open('/alert-rules', { email });
  await button(page, 'New rule').click();
  const form = page.getByRole('dialog', { name: 'New rule' });
  await form.getByLabel('Name', { exact: true }).fill('Large');
  await picked(form, 'Kind', 'Large payments');
  await form.getByLabel('From amount').fill('1,234.50');
  await picked(form, 'Opens at', 'A number of terminals');
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('grid').getByText('≥ 1,234.50 · 1 · 1h').waitFor();
  await button(page, 'Edit').click();
  expect(await panel(page).getByLabel('From amount').inputValue()).toBe('1234.5');
  await panel(page).getByLabel('Name', { exact: true }).fill('Larger');
  await button(page, 'Save').click();
  await page.getByRole('grid').getByText('Larger').waitFor();
  await page.getByRole('grid').getByText('≥ 1,234.50 · 1 · 1h').waitFor();
});
