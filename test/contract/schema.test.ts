import { buildSchema, findBreakingChanges, isEnumType } from 'graphql';
import type { BreakingChange, GraphQLArgument, GraphQLNamedType, GraphQLSchema } from 'graphql';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';

import { printedSchema } from '../../.config/printed-schema.js';
import { createSchema } from '../../src/app/graphql/schema.js';

const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

let schema: GraphQLSchema;
beforeAll(async () => {
  schema = await createSchema();
});

interface GraphQLMember extends Pick<GraphQLArgument, 'name' | 'description' | 'deprecationReason'> {
  readonly args?: readonly GraphQLArgument[];
}
type Described = readonly [name: string, description: string | null | undefined];

/** Fields of an object, interface or input type; values of an enum. */
function membersOf(type: GraphQLNamedType): readonly GraphQLMember[] {
  if (isEnumType(type)) return type.getValues();
  return 'getFields' in type ? Object.values<GraphQLMember>(type.getFields()) : [];
}

/** The names in a type with their descriptions. */
function describedIn(type: GraphQLNamedType): Described[] {
  const members = membersOf(type).flatMap((member): Described[] => [
    [`${type.name}.${member.name}`, member.description],
    ...(member.args ?? []).map(({ name, description }): Described => [
      `${type.name}.${member.name}(${name})`,
      description,
    ]),
  ]);
  return [[type.name, type.description], ...members];
}

const typesOf = (of: GraphQLSchema): GraphQLNamedType[] =>
  Object.values(of.getTypeMap()).filter((type) => !type.name.startsWith('__'));

/** Whether the removed field or enum value was deprecated in the released schema. */
const wasDeprecated = (released: GraphQLSchema, { description }: BreakingChange): boolean =>
  typesOf(released).some((type) =>
    membersOf(type).some(({ name, deprecationReason }) => {
      const removals = [
        `${name} was removed from enum type ${type.name}`,
        `${type.name}.${name} was removed`,
      ];
      return deprecationReason != null && removals.some((text) => description.startsWith(text));
    }),
  );

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
