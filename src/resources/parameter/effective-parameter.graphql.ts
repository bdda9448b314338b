import { Ctx, Field, FieldResolver, ObjectType, registerEnumType, Resolver, Root } from 'type-graphql';

import type { GraphqlContext } from '../../graphql/execution/context.js';
import { LogicalNumberType } from '../logical-number/logical-number.graphql.js';
import type { LogicalNumberHead } from '../logical-number/logical-number.model.js';
import { listEffectiveParameters } from './effective-parameter.service.js';
import { ParameterType } from './parameter.graphql.js';
import type { EffectiveParameter, Parameter } from './parameter.model.js';

const SOURCES: Readonly<Record<EffectiveParameter['source'], EffectiveParameter['source']>> = {
  LOGICAL_NUMBER: 'LOGICAL_NUMBER',
  GROUP: 'GROUP',
};
registerEnumType(SOURCES, {
  name: 'ParameterSource',
  description: 'Whose value a terminal gets.',
  valuesConfig: {
    LOGICAL_NUMBER: { description: "The logical number's own." },
    GROUP: { description: "Its group's." },
  },
});

@ObjectType('EffectiveParameter', {
  simpleResolvers: true,
  description: 'A parameter as the terminals of a logical number get it.',
})
class EffectiveParameterType {
  @Field(() => String, { description: 'Key.' })
  key!: string;

  @Field(() => String, { description: 'Value.' })
  value!: string;

  @Field(() => String, { nullable: true, description: 'What it is for.' })
  description!: string | null;

  @Field(() => SOURCES, { description: "Whether the value is the logical number's own or its group's." })
  source!: EffectiveParameter['source'];

  @Field(() => ParameterType, {
    nullable: true,
    description: "The group's parameter of the same key, where the number's own takes its place.",
  })
  overridden!: Parameter | null;
}

@Resolver(() => LogicalNumberType)
export class EffectiveParametersResolver {
  @FieldResolver(() => [EffectiveParameterType], {
    description: "What terminals get: the number's own parameters over its group's, ordered by key.",
  })
  async effectiveParameters(@Root() number: LogicalNumberHead, @Ctx() ctx: GraphqlContext) {
    return (await ctx.loadForMany(listEffectiveParameters, number)) ?? [];
  }
}
