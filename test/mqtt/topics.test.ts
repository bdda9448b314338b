import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { levelOf, notificationTopic, terminalOfConfirmTopic } from '../../src/mqtt/delivery-queue.js';

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
