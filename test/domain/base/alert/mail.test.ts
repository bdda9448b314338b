import { expect, it } from 'vitest';

import { valueText } from '../../../../src/domain/base/alert/alert-mail.rules.js';
import { HOUR, MINUTE } from '../../../../src/platform/clock.js';
import { nodeId } from '../../../support/dashboard.js';
import { useServerWithMail } from '../../../support/mailbox.js';
import { emailOf } from '../../../support/people.js';
import { type Member } from '../../../support/server.js';
import { payment, record } from '../../payments/transaction/records.js';
import {
  addDevices,
  after,
  createRule,
  deleteRule,
  events,
  refuse,
  see,
  tryRule,
  updateRule,
} from './alerts.js';

const { server, mailbox } = useServerWithMail({ publicUrl: 'https://gateway.example' });

const idOf = ({ caller }: Member): string => nodeId('User', caller.userId);

it('an alert is e-mailed to the members of its rule who are not disabled', async () => {
  server.clock.stop();
  const [reader, gone] = [await server.member('acme', 'viewer'), await server.member('acme', 'viewer')];
  const recipientIds = [idOf(reader), idOf(gone), idOf(reader)];
  const [a = 0] = await addDevices(server.acme, ['a']);
  await see(server, [a]);
  const on = { silent: { percent: 100, silentFor: '1h' } };
  const rule = await createRule(server.acme, { name: 'Loja está fora', on, recipientIds, repeatAfter: '1h' });
  expect(rule).toMatchObject({ recipientIds: [idOf(reader), idOf(gone)] });
  await server.acme.graphql(`mutation { userDisable(id: "${idOf(gone)}") { userErrors { code } } }`);
  await after(server, HOUR + 1);
  await after(server, HOUR);
  await see(server, [a]);
  await after(server, MINUTE);
  await after(server, 5 * MINUTE);
  expect(await events(server)).toEqual(['opened', 'repeated', 'closed']);

  const email = await emailOf(reader);
  const texts = (await mailbox.to(email, 3)).map(({ text }) => text);
  expect(
    texts.filter((text) => text.includes('Affected / Afetados: 1 / 1\nExamples / Exemplos: a')),
  ).toHaveLength(2);
  expect(texts.filter((text) => text.includes('Closed / Encerrado: '))).toHaveLength(1);
  expect(texts.every((text) => text.includes('https://gateway.example/console'))).toBe(true);
  expect(mailbox.letters).toHaveLength(3);
});

it('a rule names at most 20 members', async () => {
  const on = { refused: { count: 1, within: '1h' } };
  const recipientIds = Array.from({ length: 21 }, (_, id) => nodeId('User', id + 1));
  expect(await tryRule(server.acme, { name: 'Wrong', on, recipientIds })).toMatchObject({
    userErrors: [{ path: ['input', 'recipientIds'], code: 'INVALID' }],
  });
});

it('all who were told of an alert hear that it is closed, however that comes', async () => {
  const people = await Promise.all(
    ['first', 'second', 'third'].map(async (name) => {
      const member = await server.member('acme', 'viewer');
      return { name, id: idOf(member), email: await emailOf(member) };
    }),
  );
  const [first, second, third] = people;
  const named = (...given: (typeof first)[]) => given.map((each) => each?.id ?? '');
  const ENDS: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    'with its rule': (id) => deleteRule(server.acme, id),
    'with its condition': (id) =>
      updateRule(server.acme, id, { on: { unknownTerminals: { count: 1_000_000, within: '1h' } } }),
    'by itself': () => after(server, 2 * HOUR).then(() => after(server, 5 * MINUTE)),
  };
  for (const [index, [how, end]] of Object.entries(ENDS).entries()) {
    const [device = 0] = await addDevices(server.acme, [how]);
    await refuse(server, [device]);
    const on = { refused: { count: 1, within: '1h' } };
    const { id } = await createRule(server.acme, { name: how, on, recipientIds: named(first) });
    await after(server, MINUTE);
    await updateRule(server.acme, id, { recipientIds: named(second), repeatAfter: '5m' });
    await after(server, 5 * MINUTE);
    await updateRule(server.acme, id, { recipientIds: named(third), repeatAfter: null });
    await end(id);

    // Opened for the first, repeated for the second; the third is on the list when it is closed.
    const texts = await Promise.all(
      people.map(async ({ email }) => {
        const count = (email === third?.email ? 1 : 2) * (index + 1);
        return (await mailbox.to(email, count)).filter(({ text }) => text.includes(how));
      }),
    );
    expect(texts.map((own) => own.length)).toEqual([2, 2, 1]);
    // Two e-mails may arrive in another order than they were sent in.
    const closing = (own: (typeof texts)[number]) =>
      own.filter(({ text }) => text.includes('Closed / Encerrado: '));
    expect(texts.map((own) => closing(own).length)).toEqual([1, 1, 1]);
    if (how === 'by itself') await deleteRule(server.acme, id);
  }
});

it('a rule whose recipient has left says so, and can be changed', async () => {
  const leaving = await server.member('acme', 'viewer');
  const on = { refused: { count: 1_000_000, within: '1h' } };
  const recipientIds = [idOf(leaving)];
  const rule = await createRule(server.acme, { name: 'Left', on, recipientIds });
  expect(rule.problems).toEqual([]);
  await server.acme.graphql(`mutation { memberRemove(userId: "${idOf(leaving)}") { userErrors { code } } }`);
  const { alertRule, userErrors } = await updateRule(server.acme, rule.id, { name: 'Renamed', recipientIds });
  expect({ alertRule, userErrors }).toMatchObject({
    alertRule: { problems: ['RECIPIENT_LEFT'] },
    userErrors: [],
  });
  const changedTo = await updateRule(server.acme, rule.id, { recipientIds: [] });
  expect(changedTo.alertRule?.problems).toEqual([]);
});

it('amounts, shares and times are written as people read them, times in the zone of the member', async () => {
  const reader = await server.member('acme', 'viewer');
  const email = await emailOf(reader);
  await server.acme.graphql('mutation { companySetCurrency(currency: "BRL") { userErrors { code } } }');
  await server.acme.graphql(
    `mutation { userUpdate(id: "${idOf(reader)}", input: { timeZone: "America/Sao_Paulo" }) { userErrors { code } } }`,
  );
  const startedAt = server.clock.now();
  const paid = { ...payment({ status: 'approved', amount: 123_456 }), serialNumber: 'S-9' };
  await record(server, server.acme, [{ ...paid, startedAt, finishedAt: startedAt }]);
  await createRule(server.acme, {
    name: 'Large',
    on: { largePayments: { above: 1_000, within: '1h', count: 1 } },
    recipientIds: [idOf(reader)],
  });
  await after(server, MINUTE);
  const [text = ''] = (await mailbox.to(email)).map((letter) => letter.text);
  const clock = (time: Date): string =>
    `${new Date(time.getTime() - 3 * HOUR).toISOString().slice(0, 16).replace('T', ' ')} (America/Sao_Paulo)`;
  const now = server.clock.now();
  expect(text).toContain('S-9: R$1,234.56 / R$ 1.234,56, payments / pagamentos: 1, ');
  expect(text).toContain(`${clock(new Date(now.getTime() - HOUR))} - ${clock(now)}`);
  expect(text).toContain(`Opened / Aberto: ${clock(now)}`);
});

it.each([
  [123_456, true, 'BRL', 'R$1,234.56 / R$ 1.234,56'],
  [123_456, true, 'KWD', 'KWD 123.456 / KWD 123,456'],
  [1_234, true, 'JPY', '¥1,234 / JP¥ 1.234'],
  [123_456, true, null, '1,234.56 / 1.234,56'],
  [41, false, 'BRL', '41%'],
  [41.23, false, null, '41.2% / 41,2%'],
])('the value %s (an amount: %s) in %s is %s', (value, isAmount, currency, text) => {
  expect(valueText(value, { isAmount, currency })).toBe(text);
});
