import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { CONFIRMATION_LIMITS, Confirmations } from '../../src/mqtt/confirmations.js';
import { notificationTopic, terminalOfConfirmTopic } from '../../src/mqtt/delivery-queue.js';
import { levelOf, MqttStats } from '../../src/platform/terminal.js';
import { MemoryQueue } from '../support/mqtt/memory-queue.js';
import { waitFor } from '../support/wait-for.js';

const payload = (event: unknown): Buffer => Buffer.from(JSON.stringify({ type: 'pnconf', event }));
const topic = (logicalNumber: string, companyId = 7): string =>
  `terminals/${companyId}/${logicalNumber}/confirm`;

function receiver(limits = {}) {
  const queue = new MemoryQueue();
  const stats = new MqttStats();
  const errors: unknown[] = [];
  const confirmations = new Confirmations(queue, stats, (error) => void errors.push(error), {
    ...CONFIRMATION_LIMITS,
    ...limits,
  });
  return { queue, stats, errors, confirmations };
}

describe('a confirmation', () => {
  it.each([
    '',
    '{',
    'null',
    '17',
    '"17"',
    '[]',
    '{}',
    '{"type":"pnconf","event":true}',
    '{"type":"pnconf","event":"0"}',
    '{"type":"pnconf","event":"1.7"}',
    '{"type":"pnconf","event":"-17"}',
    '{"type":"pnconf","event":"99999999999999999"}',
    `{"type":"pnconf","event":"17","more":"${'x'.repeat(1_024)}"}`,
    '\u0000',
  ])('is not %j, which is counted', async (text) => {
    const { confirmations, stats, queue } = receiver();
    confirmations.take(topic('0042'), Buffer.from(text));
    await confirmations.finish();
    expect([...stats.confirmations]).toEqual([['ignored', 1]]);
    expect(queue.confirmed).toEqual([]);
  });

  it('has the terminal of its topic', async () => {
    const { confirmations, stats, queue } = receiver();
    confirmations.take(topic('Loja%207'), payload('17'));
    confirmations.take('terminals/7/0042/notifications', payload('17'));
    await confirmations.finish();
    expect(queue.confirmed).toEqual([{ companyId: 7, logicalNumber: 'Loja 7', event: '17' }]);
    expect([...stats.confirmations]).toEqual([
      ['ignored', 1],
      ['confirmed', 1],
    ]);
  });
});

describe('confirmations that wait', () => {
  it('are bounded for a terminal, a company and all, and the others are counted', async () => {
    const { confirmations, stats, queue } = receiver({ terminal: 3, company: 5, all: 7 });
    for (let event = 1; event <= 4; event += 1) confirmations.take(topic('A'), payload(String(event)));
    for (let event = 5; event <= 8; event += 1) confirmations.take(topic('B'), payload(String(event)));
    for (let event = 9; event <= 11; event += 1) confirmations.take(topic('C', 8), payload(String(event)));
    await waitFor(() => expect(queue.confirmed.length).toBe(7));
    expect(stats.confirmations.get('dropped')).toBe(4);
    confirmations.take(topic('A'), payload('12'));
    await confirmations.finish();
    expect(queue.confirmed.map(({ event }) => event)).toEqual(['1', '2', '3', '5', '6', '9', '10', '12']);
  });

  it('are stored by turns of the companies', async () => {
    const { confirmations, queue } = receiver({ terminal: 1_000 });
    for (let event = 1; event <= 500; event += 1) confirmations.take(topic('A', 7), payload(String(event)));
    confirmations.take(topic('B', 8), payload('1'));
    await confirmations.finish();
    expect(queue.confirmed.map(({ companyId }) => companyId).indexOf(8)).toBe(200);
    expect(queue.confirmed.length).toBe(501);
  });

  it('are stored once the database is there again', async () => {
    const { confirmations, stats, queue, errors } = receiver({ pauseMs: 100 });
    queue.result = null;
    confirmations.take(topic('A'), payload('1'));
    await waitFor(() => expect(errors.length).toBe(1));
    confirmations.take(topic('A'), payload('2'));
    queue.result = 'confirmed';
    await waitFor(() => expect(stats.confirmations.get('confirmed')).toBe(2));
    expect(queue.confirmed.map(({ event }) => event)).toEqual(['1', '2']);
  });

  it('are given up, and counted, when they fail too often or the server stops', async () => {
    const { confirmations, stats, queue, errors } = receiver({ pauseMs: 1 });
    queue.result = null;
    confirmations.take(topic('A'), payload('1'));
    await waitFor(() => expect(stats.confirmations.get('failed')).toBe(1));
    expect(errors.length).toBe(1);
    confirmations.take(topic('A'), payload('2'));
    await confirmations.finish();
    expect([...stats.confirmations]).toEqual([['failed', 2]]);
  });
});

describe('the topics of a terminal', () => {
  it.each([
    ['0042', '0042'],
    ['Loja-7_b.c~d', 'Loja-7_b.c~d'],
    ['Loja 7/A', 'Loja%207%2FA'],
    ['+', '%2B'],
    ['#', '%23'],
    ['50%', '50%25'],
    ["(it's*)!", '%28it%27s%2A%29%21'],
    ['número', 'n%C3%BAmero'],
  ])('have the logical number %j as %s', (logicalNumber, level) => {
    expect(levelOf(logicalNumber)).toBe(level);
    expect(notificationTopic({ companyId: 7, logicalNumber })).toBe(`terminals/7/${level}/notifications`);
    expect(terminalOfConfirmTopic(`terminals/7/${level}/confirm`)).toEqual({ companyId: 7, logicalNumber });
  });

  it('have three levels besides the logical number, whatever its characters are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 64 }), (logicalNumber) => {
        const topic = notificationTopic({ companyId: 7, logicalNumber });
        expect(topic).toMatch(/^terminals\/7\/[A-Za-z0-9._~%-]+\/notifications$/);
        const confirm = topic.replace(/notifications$/, 'confirm');
        expect(terminalOfConfirmTopic(confirm)).toEqual({ companyId: 7, logicalNumber });
      }),
    );
  });

  it.each([
    'terminals/7/0042/notifications',
    'terminals/7/0042/confirm/more',
    'terminals/7//confirm',
    'terminals/0/0042/confirm',
    'terminals/07/0042/confirm',
    'terminals/-7/0042/confirm',
    'terminals/9999999999999999/0042/confirm',
    'terminals/x/0042/confirm',
    'terminals/7/%30042/confirm',
    'terminals/7/a%2fb/confirm',
    'terminals/7/a b/confirm',
    'terminals/7/%ff/confirm',
    'terminals/7/%/confirm',
    '/terminals/7/0042/confirm',
    '$SYS/broker/uptime',
    '',
  ])('%j is no topic of a confirmation', (topic) => {
    expect(terminalOfConfirmTopic(topic)).toBeNull();
  });
});
