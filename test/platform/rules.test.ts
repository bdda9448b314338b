import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

import { ParsedPayment } from '../../src/domain/payments/transaction/transaction.model.js';
import { userErrorsOf } from '../../src/graphql/schema/errors.js';
import { DomainError } from '../../src/platform/errors.js';
import { ruleOf } from '../../src/platform/rules.js';
import { parse } from '../../src/platform/validate.js';

it.each<[string, object | null]>([
  ['must have at most 64 characters', { rule: 'too_long', params: { maximum: 64 } }],
  ['installment.quantity must be a whole number', { rule: 'type', params: { in: 'installment.quantity' } }],
  ['must be one of a, b', { rule: 'choice', params: { values: 'a, b' } }],
  ['is given twice', { rule: 'given_twice', params: null }],
  [
    'is 3, but the change affects 2 logical numbers. Nothing was changed',
    { rule: 'other_count', params: { expected: 3, count: 2, what: 'logical numbers' } },
  ],
  ['A group with this name exists already.', null],
])('%s: the rule is %j', (message, rule) => {
  expect(ruleOf(message)).toEqual(rule);
});

it('each message of a model has a rule', () => {
  const paths = globSync('src/{domain,platform/card-data}/**/*.{model,data}.ts');
  const messages = paths.flatMap((path) => {
    const literals = readFileSync(path, 'utf8').matchAll(
      /[(\s](['`])((?:must|is|has|goes|belongs|give|are) (?:(?!\1)[^\n])+)\1(?=[,;)]|$)/gm,
    );
    return Array.from(literals, ([, , text = '']) => text.replace(/\$\{[^}]*\}/g, '1'));
  });
  expect(messages.length).toBeGreaterThan(10);
  expect(messages.filter((message) => ruleOf(message) === null)).toEqual([]);
});

it('each message of the validation of a payment has a rule', () => {
  const card = { holderName: 1, firstDigits: 'x', expirationDate: '9', lastDigits: '1'.repeat(20) };
  const payment = { type: '', status: 'x', amount: -1, installment: { quantity: 1_000 }, card, merchant: 7 };
  let errors: unknown;
  try {
    parse(ParsedPayment, payment);
  } catch (error) {
    if (error instanceof DomainError) errors = userErrorsOf(error);
  }
  const rules = (errors as { rule: string; message: string }[]).map(({ rule, message }) => [rule, message]);
  expect(rules.filter(([rule]) => rule === 'invalid')).toEqual([]);
  expect(rules.length).toBeGreaterThan(6);
});
