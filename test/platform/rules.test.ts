import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';

import { sentenceOf } from '../../src/console/api/rules.js';
import { ENGLISH } from '../../src/console/api/sentences-english.js';
import { PORTUGUESE } from '../../src/console/api/sentences-portuguese.js';
import { ParsedPayment } from '../../src/domain/payments/transaction/transaction.model.js';
import { userErrorsOf } from '../../src/graphql/schema/errors.js';
import { DOMAIN_CODES, DomainError } from '../../src/platform/errors.js';
import { problemOf, problemOfPart, rule, RULES } from '../../src/platform/rules.js';
import { checked, parse } from '../../src/platform/validate.js';

const OTHER_COUNT = 'This now affects {count} {what}, not {expected}. Check the list and confirm again.';
/** Codes of errors that the client can correct. */
const USER_CODES = DOMAIN_CODES.filter((code) => userErrorsOf(new DomainError(code, '')) !== undefined);
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
    'This now affects 2 logical numbers, not 3. Check the list and confirm again.',
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
    { rule: null, params: { in: 'name' } },
  ],
])('%s: the problem is %j', (message, problem, broken) => {
  expect(problem).toEqual({ message, ...(broken as object) });
});

it('parameters come in the order of the sentence, the part of the field first', () => {
  const broken = rule(OTHER_COUNT, { what: 'devices', count: 2, expected: 3 });
  expect(Object.keys(problemOfPart('change', problemOf(broken)).params ?? {})).toEqual([
    'in',
    'count',
    'what',
    'expected',
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
const SHOWN = [
  'maximum',
  'minimum',
  'count',
  'example',
  'values',
  'choices',
  'field',
  'fields',
  'number',
  'name',
];
const LANGUAGES = ['en', 'pt'] as const;
const label = (name: string): string => `Label of ${name}`;
/** A whole sentence: it begins like one, ends with a point, and nothing in it is left open. */
const SENTENCE = /^["\p{Lu}\d](?:(?![{}]|undefined|\bnull\b).)*\.$/u;

it.each(
  LANGUAGES.flatMap((language) =>
    Object.entries(RULES).map(([message, code]) => [language, message, code] as const),
  ),
)('in %s, the rule of "%s" has a sentence of the page', (language, template, code) => {
  let value = 70;
  const values = new Map<string, string>();
  const message = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    values.set(name, String((value += 1)));
    return String(value);
  });
  const problem = problemOf({ message: template, params: Object.fromEntries(values) });
  expect([problem.rule, problem.message]).toEqual([code, message]);
  const sentences: Readonly<Record<string, unknown>> = language === 'en' ? ENGLISH : PORTUGUESE;
  expect(Object.keys(sentences)).toContain(code);
  const error = { code: 'OTHER', ...problem, path: ['input', 'name'] };
  const sentence = sentenceOf(error, { language, label, sent: { input: { name: 'the value' } } });
  expect(sentence).toMatch(SENTENCE);
  const shown = [...values].filter(([name]) => SHOWN.includes(name)).map(([, text]) => text);
  expect(shown.filter((text) => !sentence.includes(text))).toEqual([]);
});

it.each(LANGUAGES.flatMap((language) => USER_CODES.map((code) => [language, code] as const)))(
  'in %s, an error %s without a rule has a sentence of the page',
  (language, code) => {
    const error = userErrorsOf(new DomainError(code, 'no sentence'))?.[0];
    expect(sentenceOf(error ?? fail(), { language, label })).toMatch(SENTENCE);
  },
);

it('a sentence exists in both languages, with the same names in it', () => {
  const names = (text: string): readonly string[] =>
    [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).toSorted();
  const shape = (sentences: typeof ENGLISH): unknown =>
    Object.fromEntries(Object.entries(sentences).map(([rule, text]) => [rule, [text].flat().map(names)]));
  expect(shape(PORTUGUESE)).toEqual(shape(ENGLISH));
});

it.each<[string, Parameters<typeof sentenceOf>[0], string, string]>([
  [
    'a value that exists already',
    { code: 'TAKEN', rule: 'taken', message: 'exists already', path: ['input', 'serialNumber'] },
    'There is already one with the Serial number "X1". Enter another one.',
    'Já existe um registro com Serial number "X1". Informe outro.',
  ],
  [
    'a part of a field',
    { code: 'INVALID', path: ['input'], ...problemOfPart('waves.0.percent', wholeNumber) },
    'Percent must be a whole number.',
    'Percent deve ser um número inteiro.',
  ],
  [
    'a group that does not exist',
    {
      code: 'INVALID',
      ...problemOfPart(
        'group',
        problemOf(
          rule('There is no {what} "{name}". Create it first, or choose another one.', {
            what: 'group',
            name: 'Nenhum grupo',
          }),
        ),
      ),
    },
    'There is no group "Nenhum grupo". Create it first, or choose another one.',
    'Não existe grupo "Nenhum grupo". Crie antes ou escolha outro.',
  ],
  [
    'an id, which nobody knows',
    { code: 'NOT_FOUND', rule: 'not_found', message: 'No such group.', path: ['input', 'groupId'] },
    'It does not exist any more. Load the page again.',
    'O registro não existe mais. Carregue a página de novo.',
  ],
])('%s is said with its label', (_what, error, english, portuguese) => {
  const words: Readonly<Record<string, string>> = { serialNumber: 'Serial number', percent: 'Percent' };
  const seen = {
    label: (name: string) => words[name.replace(/^.*\./, '')] ?? name,
    sent: { input: { serialNumber: 'X1', groupId: 'R3JvdXA6MQ' } },
  };
  expect(sentenceOf(error, { ...seen, language: 'en' })).toBe(english);
  expect(sentenceOf(error, { ...seen, language: 'pt' })).toBe(portuguese);
});

function fail(): never {
  throw new Error('no user error');
}
