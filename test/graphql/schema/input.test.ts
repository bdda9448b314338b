import 'reflect-metadata';
import { printType } from 'graphql';
import { buildSchema, Query, type ClassType } from 'type-graphql';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { enumeration, inputOf, object, text } from '../../../src/graphql/index.js';
import { resolvedFields } from '../../../src/graphql/schema/fields.js';
import { printableName } from '../../../src/platform/encoding/text.js';
import { recordId, recordIds } from '../../../src/platform/validate.js';

const Colour = enumeration<'red' | 'dark_blue'>('InputTestColour', 'Colours.', {
  red: 'Red.',
  dark_blue: 'Blue.',
});
const colour = z.enum(['red', 'dark_blue']).describe('Its colour.');

const Model = z.object({
  name: printableName(64).describe('Its name.'),
  colour: colour.default('dark_blue'),
  shopId: recordId.nullable().describe('Its shop.').optional(),
  tagIds: recordIds.describe('Its tags.').optional(),
  at: z.date().describe('When.'),
  count: z.int().describe('How many.'),
  cents: z.int().max(999_999_999_999).describe('How much.'),
  size: z.object({ width: z.int() }).nullable().describe('How large.'),
  more: z.record(z.string(), z.unknown()).describe('More.'),
  bytes: z.string().meta({ contentEncoding: 'base64', description: 'Bytes.' }).nullable(),
  anything: z.unknown().describe('Any value.'),
});

const Size = inputOf('InputTestSize', z.object({ width: z.int().describe('Wide.') }), { description: '.' });

const context = {
  references: { shopId: 'Shop', tagIds: 'Tag' },
  enums: { colour: Colour },
  inputs: { size: Size },
};

async function printed(name: string, options: Parameters<typeof inputOf>[2]): Promise<string> {
  const Type = inputOf(name, Model, options);
  const { resolvers } = resolvedFields(Query, {
    [`ask${name}`]: { field: text('.'), args: { input: object(Type, '.') }, resolve: () => '' },
  });
  const schema = await buildSchema({
    resolvers: resolvers as [ClassType, ...ClassType[]],
    orphanedTypes: [],
    validate: false,
  });
  const type = schema.getType(name);
  if (type === undefined) throw new Error('The schema does not have the input type');
  return printType(type);
}

describe('an input type', () => {
  it('has a field for each property of the model, described by the model', async () => {
    const text = await printed('InputTestCreate', { ...context, description: 'A new one.' });
    expect(text).toBe(
      `"""A new one."""
input InputTestCreate {
  """Its name. 1 to 64 characters."""
  name: String!

  """Its colour. Defaults to DARK_BLUE."""
  colour: InputTestColour

  """Its shop."""
  shopId: ID

  """Its tags. At most 1000 entries."""
  tagIds: [ID!]

  """When."""
  at: DateTime!

  """How many."""
  count: Int!

  """How much."""
  cents: SafeInt!

  """How large."""
  size: InputTestSize

  """More."""
  more: JSON!

  """Bytes."""
  bytes: Base64

  """Any value."""
  anything: JSON
}`,
    );
  });

  it('says of an update what null and lists do, and takes other descriptions and fields', async () => {
    const Other = inputOf('InputTestOther', z.object({ name: printableName(9).describe('Name.') }), {
      description: 'Other.',
    });
    const text = await printed('InputTestUpdate', {
      ...context,
      description: 'Changes.',
      isUpdate: true,
      descriptions: { name: 'New name.' },
      fields: { other: object(Other, 'Another.') },
    });
    expect(text).toContain('"""New name."""\n  name: String!');
    expect(text).toContain('"""Its shop. Null clears it."""\n  shopId: ID');
    expect(text).toContain('"""Its tags. At most 1000 entries. Replaces the whole list."""\n  tagIds: [ID!]');
    expect(text).toContain('"""Another."""\n  other: InputTestOther!');
  });

  it('is not made while it is unknown what an id or a choice is of', () => {
    const without = (options: object) => () =>
      inputOf('InputTestWithout', Model, { ...context, description: '.', ...options });
    expect(without({ references: { shopId: 'Shop' } })).toThrow(
      'The references must name the type of tagIds',
    );
    expect(without({ enums: {} })).toThrow('The enums must name the enum of colour');
    expect(without({ inputs: {} })).toThrow('The inputs must name the input type of size');
  });
});
