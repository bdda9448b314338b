import fc from 'fast-check';
import { GraphQLError, Source } from 'graphql';
import { expect, it } from 'vitest';

import { inDocumentOrder } from '../../../src/graphql/execution/mask.js';

const source = new Source('{ first { inner } second }');
const errorAt = (position: number, path: (string | number)[]): GraphQLError =>
  new GraphQLError(path.join('.'), { source, positions: [position], path });

const ORDERED = [
  new GraphQLError('of the whole operation'),
  errorAt(2, ['first']),
  errorAt(10, ['first', 0, 'inner']),
  errorAt(10, ['first', 2, 'inner']),
  errorAt(10, ['first', 10, 'inner']),
  errorAt(10, ['other', 0, 'inner']),
  errorAt(18, ['second']),
];

it('errors are in the order of the document and of the lists, however they come', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(ORDERED, { minLength: ORDERED.length }), (errors) => {
      expect(inDocumentOrder(errors)).toEqual(ORDERED);
    }),
  );
});

it('errors without a field, such as those of validation, stay in their order', () => {
  const errors = ['b', 'a', 'c'].map((message) => new GraphQLError(message));
  expect(inDocumentOrder(errors)).toEqual(errors);
});
