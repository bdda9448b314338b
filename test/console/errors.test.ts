import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

import { expectSound } from '../support/browser.js';
import { fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { useConsole, WINDOWS } from './pages.js';

const { server, open } = useConsole();
let email: string;
beforeAll(async () => {
  const { client } = server.acme;
  await fleet.group(client, 'Lojas Centro');
  await fleet.logicalNumber(client, '100');
  await fleet.device(client, 'SN-1');
  ({ email } = await addPerson(server, { acme: 'admin' }));
});

/** A form, what is entered by label, and what the page says then: each in English and in Portuguese. */
interface Refused {
  readonly what: string;
  readonly path: string;
  readonly opens: readonly [string, string];
  readonly entered: readonly (readonly [labels: readonly [string, string], value: string])[];
  readonly sends: readonly [string, string];
  readonly said: readonly [string, string];
  /** True if the API refuses the request as a whole, which the browser reports. */
  readonly isRequestRefused?: boolean;
}

const FROM = ['From entry', 'A partir da entrada'] as const;
const CREATE = ['Create', 'Criar'] as const;
const NAME = ['Name', 'Nome'] as const;

const REFUSED: readonly Refused[] = [
  {
    what: 'a group whose name exists',
    path: '/groups',
    opens: ['New group', 'Novo grupo'],
    entered: [[NAME, 'Lojas Centro']],
    sends: CREATE,
    said: [
      'There is already one with the Name "Lojas Centro". Enter another one.',
      'Já existe um registro com Nome "Lojas Centro". Informe outro.',
    ],
  },
  {
    what: 'a serial number that exists',
    path: '/devices',
    opens: ['Create device', 'Criar dispositivo'],
    entered: [[['Serial number', 'Número de série'], 'SN-1']],
    sends: CREATE,
    said: [
      'There is already one with the Serial number "SN-1". Enter another one.',
      'Já existe um registro com Número de série "SN-1". Informe outro.',
    ],
  },
  {
    what: 'a logical number with a comma',
    path: '/logical-numbers',
    opens: ['New logical number', 'Novo número lógico'],
    entered: [[['Number', 'Número'], '1,2']],
    sends: CREATE,
    said: ['Number must not contain a comma.', 'Número não pode conter vírgula.'],
  },
  {
    what: 'an address that is none',
    path: '/members',
    opens: ['Invite member', 'Convidar membro'],
    entered: [
      [NAME, 'Maria'],
      [['E-mail', 'E-mail'], 'maria'],
    ],
    sends: ['Invite member', 'Convidar membro'],
    said: [
      '"maria" is not an e-mail address. Enter one such as maria@example.com.',
      '"maria" não é um endereço de e-mail. Informe um como maria@example.com.',
    ],
  },
  {
    what: 'a webhook with an unknown type of event',
    path: '/webhooks',
    opens: ['New webhook', 'Novo webhook'],
    entered: [
      [['Address', 'Endereço'], 'https://example.com/'],
      [['Events', 'Eventos'], 'nothing.at.all'],
    ],
    sends: CREATE,
    said: [
      '"nothing.at.all" has an unknown type of event.',
      '"nothing.at.all" tem um tipo de evento desconhecido.',
    ],
  },
  {
    what: 'a number beyond 32 bits',
    isRequestRefused: true,
    path: '/webhooks',
    opens: ['New webhook', 'Novo webhook'],
    entered: [
      [['Address', 'Endereço'], 'https://example.com/'],
      [FROM, '3000000000'],
    ],
    sends: CREATE,
    said: [
      `${FROM[0]} cannot be 3000000000. Enter a whole number from -2147483648 to 2147483647.`,
      `${FROM[1]} não pode ser 3000000000. Informe um número inteiro de -2147483648 a 2147483647.`,
    ],
  },
];

const TOO_LARGE = {
  'en-US': [
    'Filter',
    'Amount from',
    'Amount in the filter is too large a number to compare. Enter a smaller one.',
  ],
  'pt-BR': [
    'Filtrar',
    'Valor a partir de',
    'Valor no filtro é um número grande demais para comparar. Informe um menor.',
  ],
} as const;

it.each(WINDOWS)(
  'an amount beyond all numbers is refused in a sentence of the filter, $name',
  async (own) => {
    const isExpected = (problem: string): boolean => problem.includes('400 (Bad Request)');
    const page = await open('/transactions', { email, ...own, isExpected });
    const [filter, label, sentence] = TOO_LARGE[own.locale];
    await page.getByRole('button', { name: filter, exact: true }).click();
    const amount = page.getByLabel(label, { exact: true });
    await amount.fill('99999999999999999999');
    await page.getByRole('alert').getByText(sentence).waitFor();
    await expectSound(page);
    await amount.fill('5');
    await page.getByRole('alert').waitFor({ state: 'detached' });
  },
);

const form = (page: Page) => page.getByRole('dialog');

describe.each(WINDOWS.map((window, index) => ({ ...window, index })))(
  '$name',
  ({ name: _, index, ...window }) => {
    const inLanguage = (pair: readonly [string, string]): string => pair[index] ?? '';

    it.each(REFUSED)('$what is refused at the field, in a sentence', async (refused) => {
      const isExpected = (problem: string): boolean =>
        refused.isRequestRefused === true && problem.includes('400 (Bad Request)');
      const page = await open(refused.path, { email, ...window, isExpected });
      await page.getByRole('button', { name: inLanguage(refused.opens), exact: true }).click();
      for (const [labels, value] of refused.entered)
        await form(page).getByLabel(inLanguage(labels)).first().fill(value);
      await form(page)
        .getByRole('button', { name: inLanguage(refused.sends), exact: true })
        .click();
      const [labels] = refused.entered.at(-1) ?? [];
      const field = form(page).locator('.field', { hasText: inLanguage(labels ?? ['', '']) });
      const said = field.locator('.field-error');
      await said.first().waitFor();
      expect(await said.allTextContents()).toEqual([expect.stringContaining(inLanguage(refused.said))]);
      await expectSound(page);
    });

    it('a file with unknown headings, and one with an unknown group, are refused before anything is enrolled', async () => {
      const page = await open('/devices', { email, ...window });
      await page
        .getByRole('button', { name: inLanguage(['Enrol devices', 'Cadastrar dispositivos']) })
        .click();
      const check = async (text: string): Promise<void> => {
        const buffer = Buffer.from(text);
        const file = form(page).getByLabel(inLanguage(['File', 'Arquivo']));
        await file.setInputFiles({ name: 'fleet.csv', mimeType: 'text/csv', buffer });
        await form(page)
          .getByRole('button', { name: inLanguage(['Check', 'Conferir']) })
          .click();
      };
      await check('Serial;Number\nX1;1\n');
      await form(page)
        .getByText(
          inLanguage([
            'Line 1 has unknown headings: Serial, Number. Use',
            'Linha 1: títulos desconhecidos: Serial, Number. Use',
          ]),
        )
        .waitFor();
      await check('serial_number;logical_number;group\nX1;1;Nenhum grupo\n');
      const said = [
        'There is no group "Nenhum grupo". Create it first, or choose another one.',
        'Não existe grupo "Nenhum grupo". Crie antes ou escolha outro.',
      ] as const;
      await form(page).getByText(inLanguage(said)).waitFor();
      await expectSound(page);
    });
  },
);
