import {
  buildSchema,
  findBreakingChanges,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  type BreakingChange,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';

import { printedSchema } from '../../.config/printed-schema.js';
import { createSchema } from '../../src/app/graphql/schema.js';

const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

let schema: GraphQLSchema;
beforeAll(async () => {
  schema = await createSchema();
});

/** The names in a type with their descriptions. */
function describedIn(
  type: GraphQLNamedType,
): (readonly [name: string, description: string | null | undefined])[] {
  const own = [type.name, type.description] as const;
  if (isEnumType(type)) {
    return [
      own,
      ...type.getValues().map((value) => [`${type.name}.${value.name}`, value.description] as const),
    ];
  }
  if (isInputObjectType(type)) {
    return [
      own,
      ...Object.values(type.getFields()).map(
        (field) => [`${type.name}.${field.name}`, field.description] as const,
      ),
    ];
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [own];
  return [
    own,
    ...Object.values(type.getFields()).flatMap((field) => [
      [`${type.name}.${field.name}`, field.description] as const,
      ...field.args.map(
        (argument) => [`${type.name}.${field.name}(${argument.name})`, argument.description] as const,
      ),
    ]),
  ];
}

const typesOf = (of: GraphQLSchema): GraphQLNamedType[] =>
  Object.values(of.getTypeMap()).filter((type) => !type.name.startsWith('__'));

/** Whether the removed field or enum value was deprecated in the released schema. */
function wasDeprecated(released: GraphQLSchema, { description }: BreakingChange): boolean {
  return typesOf(released).some((type) => {
    if (isEnumType(type)) {
      return type
        .getValues()
        .some(
          (value) =>
            value.deprecationReason != null &&
            description.startsWith(`${value.name} was removed from enum type ${type.name}`),
        );
    }
    if (!isObjectType(type) && !isInterfaceType(type)) return false;
    return Object.values(type.getFields()).some(
      (field) =>
        field.deprecationReason != null && description.startsWith(`${type.name}.${field.name} was removed`),
    );
  });
}

function breaking(released: GraphQLSchema, current: GraphQLSchema): string[] {
  return findBreakingChanges(released, current)
    .filter((change) => !wasDeprecated(released, change))
    .map((change) => change.description);
}

describe('the schema', () => {
  it('is the one in schema.graphql', async () => {
    const committed = textOf('../../schema.graphql');
    const outdated = 'schema.graphql differs from the code. Run npm run codegen and commit the change.';
    expect(committed, outdated).toBe(await printedSchema());
  });

  it('describes each type, field, argument and enum value', () => {
    const named = typesOf(schema).flatMap(describedIn);
    expect(named.length).toBeGreaterThan(500);
    expect(named.filter(([, description]) => !description?.trim()).map(([name]) => name)).toEqual([]);
  });

  it('breaks nothing of the released schema that was not deprecated there', () => {
    expect(breaking(buildSchema(textOf('released.graphql')), schema)).toEqual([]);
  });
});

describe('the check for breaking changes', () => {
  const before = buildSchema(`type Query { kept: Int going: Int @deprecated(reason: "soon") also: E }
    enum E { A B @deprecated(reason: "soon") C }`);

  it('allows removals of what was deprecated, and additions', () => {
    const after = buildSchema('type Query { kept: Int new: Int also: E } enum E { A C D }');
    expect(breaking(before, after)).toEqual([]);
  });

  it('reports removed enum values and new required arguments', () => {
    const after = buildSchema('type Query { kept(must: Int!): Int also: E } enum E { A }');
    expect(breaking(before, after)).toEqual([
      'A required arg must on Query.kept was added.',
      'C was removed from enum type E.',
    ]);
  });
});
