import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { expectSound } from '../support/browser.js';
import { fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { useConsole, WINDOWS } from './pages.js';

const { server, open } = useConsole();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

const WORDS = [
  {
    purpose: 'A group is a set of logical numbers',
    first: 'Create the first one',
    name: 'Name',
    create: 'Create',
    noMatch: 'No record matches these conditions.',
    clear: 'Clear the filter',
    send: 'Send notification',
    message: 'Message',
    numbers: 'Logical numbers',
    fillIn: 'First fill in:',
    unknown: 'Logical numbers: 998, 999 do not exist.',
    correct: 'Correct what is marked first.',
    goesTo: 'Goes to 1 logical number',
    sendNow: 'Send',
  },
  {
    purpose: 'Um grupo é um conjunto de números lógicos',
    first: 'Criar o primeiro',
    name: 'Nome',
    create: 'Criar',
    noMatch: 'Nenhum registro atende a estas condições.',
    clear: 'Limpar o filtro',
    send: 'Enviar notificação',
    message: 'Mensagem',
    numbers: 'Números lógicos',
    fillIn: 'Preencha antes:',
    unknown: 'Números lógicos: não existe 998, 999.',
    correct: 'Corrija antes o que está marcado.',
    goesTo: 'Vai para 1 número lógico',
    sendNow: 'Enviar',
  },
] as const;

describe.each(WINDOWS.map((window, index) => ({ ...window, index })))(
  '$name',
  ({ name: _, index, ...window }) => {
    const words = WORDS[index] ?? WORDS[0];

    it('an empty list says what it is for, makes the first record, and says when a filter hides all', async () => {
      const { email } = await addPerson(server, { beta: 'operator' });
      const page = await open('/groups', { email, ...window });
      if (index === 0) {
        await page.getByText(words.purpose).waitFor();
        await expectSound(page);
        await button(page, words.first).click();
        const field = page.getByRole('dialog').getByRole('textbox', { name: words.name });
        expect(await field.getAttribute('aria-required')).toBe('true');
        await field.fill('Lojas Norte');
        await button(page, words.create).click();
        await page.getByRole('complementary').getByRole('heading', { name: 'Lojas Norte' }).waitFor();
      }
      const filter = encodeURIComponent(JSON.stringify({ name: { contains: 'none has it' } }));
      await page.goto(new URL(`/console/groups?filter=${filter}`, page.url()).href);
      await page.getByText(words.noMatch).waitFor();
      await expectSound(page);
      await button(page, words.clear).click();
      await page.getByRole('row', { name: 'Lojas Norte' }).waitFor();
    });

    it('says before it is sent whom a notification would miss, and why it cannot be sent', async () => {
      const { email } = await addPerson(server, { acme: 'operator' });
      if (index === 0) await fleet.logicalNumber(server.acme.client, '100');
      const page = await open('/notifications', { email, ...window });
      await button(page, words.send).click();
      const form = page.getByRole('dialog');
      const send = form.getByRole('button', { name: words.sendNow, exact: true });
      await form.getByText(words.fillIn).waitFor();
      expect(await send.getAttribute('aria-disabled')).toBe('true');
      const described = await send.getAttribute('aria-describedby');
      expect(await form.locator(`[id="${described}"]`).textContent()).toContain(words.fillIn);
      await form.getByLabel(words.message).fill('Closed');
      await form.getByLabel(words.numbers).fill('100 998 999');
      await form.getByText(words.unknown).waitFor();
      await form.getByText(words.correct).waitFor();
      await expectSound(page);
      await form.getByLabel(words.numbers).fill('100');
      await form.getByText(words.goesTo).waitFor();
      await send.click();
      await page.getByRole('complementary').getByRole('heading', { name: 'Closed' }).waitFor();
    });
  },
);

const PURPOSES = {
  'en-US': {
    alerts: 'create a rule first',
    'app-versions': 'Create the app first',
    devices: 'Enrol the first ones from a list or a file',
    files: 'Upload it here, then add it to a version',
    transactions: 'appear here as terminals send them',
  },
  'pt-BR': {
    alerts: 'crie antes uma regra',
    'app-versions': 'Crie antes o aplicativo',
    devices: 'Cadastre os primeiros por uma lista ou arquivo',
    files: 'Envie-o aqui e adicione-o a uma versão',
    transactions: 'aparecem aqui quando os terminais os enviam',
  },
} as const;

it.each(WINDOWS)('an empty list says what it is for and what to do first: $name', async (own) => {
  const { email } = await addPerson(server, { beta: 'viewer' });
  const page = await open('/devices', { email, ...own });
  for (const [path, said] of Object.entries(PURPOSES[own.locale])) {
    // Alerts are filtered until somebody takes the condition away.
    await page.goto(new URL(`/console/${path}?filter={}`, page.url()).href);
    await page.getByText(said).waitFor();
    await expectSound(page);
  }
});

it('the overview of a new company leads through the first hour, with a command for the first terminal', async () => {
  const { email } = await addPerson(server, { beta: 'admin' });
  const page = await open('/overview', { email });
  const steps = page.getByRole('region', { name: 'The first hour' });
  const done = (name: string) => steps.getByRole('listitem').filter({ hasText: name }).getByText('Done');
  await done('Invite the first colleague').waitFor();
  expect(await steps.getByText('Done').count()).toBe(1);
  await expectSound(page);
  await steps.getByRole('link', { name: 'set its currency' }).click();
  await page.getByLabel('Currency of amounts').selectOption('BRL');
  await page.getByRole('button', { name: 'Set currency' }).click();
  await page.getByText('Saved').last().waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await done('set its currency').waitFor();
  const { client } = server.beta;
  const number = await fleet.logicalNumber(client, '500');
  await done('Create the first logical number').waitFor();
  await fleet.device(client, 'FIRST-1', { logical_number_id: number });
  await done('Create the first terminal').waitFor();
  await button(page, 'Make its token').click();
  const command = steps.getByLabel('Command');
  await expect.poll(() => command.inputValue()).toMatch(/Bearer [0-9a-f]{40}"$/);
  const [, address = '', token = ''] =
    /curl -i (\S+) -H "Authorization: (.*)"/.exec(await command.inputValue()) ?? [];
  expect((await fetch(address, { headers: { authorization: token } })).status).toBe(200);
  await done('Let the terminal call').waitFor();
  await button(page, 'Put away').click();
  expect(await steps.count()).toBe(0);
  await page.reload();
  await page.getByRole('region', { name: 'Needs attention' }).waitFor();
  expect(await steps.count()).toBe(0);
});

it('who has not accepted an invitation is shown so, is asked again, and the question is withdrawn', async () => {
  const { email } = await addPerson(server, { acme: 'admin' });
  const { email: asked } = await addPerson(server, { beta: 'viewer' });
  const page = await open('/members', { email });
  const invite = async (address: string): Promise<void> => {
    await button(page, 'Invite member').click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name').fill('Invited Person');
    await form.getByLabel('E-mail').fill(address);
    await form.getByRole('button', { name: 'Invite member' }).click();
  };
  await invite('new.person@example.com');
  const link = page.getByRole('dialog', { name: 'Link for the person' });
  await link.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('row', { name: /new\.person@example\.com.*Invited until/ }).waitFor();
  await invite(asked);
  const questions = page.getByRole('region', { name: 'Invitations without an answer' });
  await questions.getByRole('row', { name: asked }).waitFor();
  await expectSound(page);
  await button(page, 'Send again').click();
  await page.getByText('Sent again').waitFor();
  await button(page, 'Withdraw').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await questions.waitFor({ state: 'detached' });
});
