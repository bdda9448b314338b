import { expect, it } from 'vitest';
import { z } from 'zod';

import { inputOf } from '../../../src/graphql/index.js';
import { recordId, recordIds } from '../../../src/platform/validate.js';

it.each([
  ['an id', { shopId: recordId.describe('A shop.') }, 'The references must name the type of shopId'],
  ['ids', { tagIds: recordIds.describe('Tags.') }, 'The references must name the type of tagIds'],
  ['a choice', { colour: z.enum(['red']).describe('A colour.') }, 'The enums must name the enum of colour'],
  ['an object', { size: z.object({}).describe('A size.') }, 'The inputs must name the input type of size'],
])('an input type is not made while it is unknown what %s is of', (_what, fields, message) => {
  expect(() => inputOf('InputTest', z.object(fields), { description: '.' })).toThrow(message);
});
