import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';

import { messageOf } from '../../src/console/api/rules.js';
import { ParsedPayment } from '../../src/domain/payments/transaction/transaction.model.js';
import { userErrorsOf } from '../../src/graphql/schema/errors.js';
import { DomainError } from '../../src/platform/errors.js';
import { problemOf, problemOfPart, rule, RULES } from '../../src/platform/rules.js';
import { checked, parse } from '../../src/platform/validate.js';

const OTHER_COUNT = 'is {expected}, but the change affects {count} {what}. Nothing was changed';
const wholeNumber = problemOf(rule('must be a whole number'));

it.each<[string, object, unknown]>([
  [
    'must have at most 64 characters',
    problemOf(rule('must have at most {maximum} characters', { maximum: 64 })),
    { rule: 'too_long', params: { maximum: 64 } },
  ],
  [
    'installment.quantity must be a whole number',
    problemOfPart('installment.quantity', wholeNumber),
    { rule: 'type', params: { in: 'installment.quantity' } },
  ],
  [
    'parameters timeout must be a whole number',
    problemOfPart('parameters', problemOfPart('timeout', wholeNumber)),
    { rule: 'type', params: { in: 'parameters timeout' } },
  ],
  [
    'must be one of a, b',
    problemOf(rule('must be one of {values}', { values: 'a, b' })),
    { rule: 'choice', params: { values: 'a, b' } },
  ],
  ['is given twice', problemOf(rule('is given twice')), { rule: 'given_twice', params: null }],
  [
    'is 3, but the change affects 2 logical numbers. Nothing was changed',
    problemOf(rule(OTHER_COUNT, { expected: 3, count: 2, what: 'logical numbers' })),
    { rule: 'other_count', params: { expected: 3, count: 2, what: 'logical numbers' } },
  ],
  [
    'A group with this name exists already.',
    problemOf({ message: 'A group with this name exists already.' }),
    { rule: null, params: null },
  ],
  [
    'name exists {already}',
    problemOfPart('name', problemOf({ message: 'exists {already}' })),
    { rule: null, params: null },
  ],
])('%s: the problem is %j', (message, problem, broken) => {
  expect(problem).toEqual({ message, ...(broken as object) });
});

it('parameters come in the order of the sentence, the part of the field first', () => {
  const broken = rule(OTHER_COUNT, { what: 'devices', count: 2, expected: 3 });
  expect(Object.keys(problemOfPart('change', problemOf(broken)).params ?? {})).toEqual([
    'in',
    'expected',
    'count',
    'what',
  ]);
});

it('each message of a model has a rule', () => {
  const paths = globSync('src/{domain,platform/card-data}/**/*.{model,data}.ts');
  const messages = paths.flatMap((path) => {
    const literals = readFileSync(path, 'utf8').matchAll(
      /[(\s](['`])((?:must|is|has|goes|belongs|give|are) (?:(?!\1)[^\n])+)\1(?=[,;)]|$)/gm,
    );
    return Array.from(literals, ([, , text = '']) => text);
  });
  expect(messages.length).toBeGreaterThan(10);
  expect(messages.filter((message) => problemOf({ message }).rule === null)).toEqual([]);
});

it('a parameter of a check that zod has comes from zod, so no model gives such a check another one', () => {
  const models = globSync('src/**/*.ts').map((path) => readFileSync(path, 'utf8'));
  const check = /\.(?:min|max|length|regex|email|union)\((?:(?!\.refine)[^;\n])*rule\(\s*['"][^'"]*\{/g;
  expect(models.flatMap((text) => text.match(check) ?? [])).toEqual([]);
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

it.each<[string, string, z.ZodType, unknown]>([
  ['must be at least 1', 'too_small', z.int().min(1).max(100), 0],
  ['must be at most 100', 'too_great', z.number().max(100), 150],
  ['must have at most 3 characters', 'too_long', z.string().max(3), 'long'],
  ['must not be empty', 'empty', z.string().min(1), ''],
  ['must have at most 2 entries', 'too_many_entries', z.array(z.int()).max(2), [1, 2, 3]],
])('a limit without a message of its own: %s', (message, rule, model, value) => {
  const { problems } = checked(model, value);
  expect(problems.map((problem) => [problem.message, problem.rule])).toEqual([[message, rule]]);
});

it('a check of another kind keeps the words of zod, which say more than that the input is invalid', () => {
  const { problems } = checked(z.string().regex(/^x/), 'y');
  const message = 'Invalid string: must match pattern /^x/';
  expect(problems).toEqual([{ path: [], rule: null, params: null, message }]);
});

/** Parameters that are figures, names and values; the others are English words, or say more than a person needs. */
const SHOWN = ['maximum', 'minimum', 'count', 'example', 'values', 'choices', 'field', 'fields', 'number'];

it.each(Object.entries(RULES))('%s: has a Portuguese message', (template, code) => {
  let value = 70;
  const values = new Map<string, string>();
  const message = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    values.set(name, String((value += 1)));
    return String(value);
  });
  const problem = problemOf({ message: template, params: Object.fromEntries(values) });
  expect([problem.rule, problem.message]).toEqual([code, message]);
  const portuguese = messageOf({ code: 'OTHER', ...problem }, 'pt');
  expect(portuguese).not.toBe(message);
  expect(portuguese).not.toMatch(/[{}]|undefined/);
  const shown = [...values].filter(([name]) => SHOWN.includes(name)).map(([, text]) => text);
  expect(shown.filter((text) => !portuguese.includes(text))).toEqual([]);
});

const codes = ['INVALID', 'TAKEN', 'NOT_FOUND', 'NOT_EMPTY', 'IN_USE', 'TOO_MANY_RECORDS'];

it.each(codes)('an error %s without a rule has a Portuguese message', (code) => {
  const message = 'Something is wrong.';
  expect(messageOf({ code, message, rule: code.toLowerCase() }, 'pt')).not.toBe(message);
});

it('a message on a part of a field names the part in each language', () => {
  const message = 'installment.quantity must be a whole number';
  const error = { code: 'INVALID', ...problemOfPart('installment.quantity', wholeNumber) };
  expect(messageOf(error, 'en')).toBe(message);
  expect(messageOf(error, 'pt')).toBe('installment.quantity: tem o tipo errado');
});
