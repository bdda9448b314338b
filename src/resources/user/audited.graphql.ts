import { Ctx, Field, ObjectType, registerEnumType, Root } from 'type-graphql';

import type { GraphqlContext } from '../../graphql/execution/context.js';
import { Node } from '../../graphql/schema/node.js';
import { DateTime } from '../../graphql/schema/scalars.js';
import type { Audit } from '../../platform/audit.js';
import type { User } from './user.model.js';
import { UserType } from './user.graphql.js';
import { users } from './user.service.js';

export const CHANNELS = { API: 'api', INTERFACE: 'interface' } as const;
registerEnumType(CHANNELS, {
  name: 'Channel',
  description: 'By which way a record came to be.',
  valuesConfig: {
    API: { description: 'Through REST or GraphQL, with a token.' },
    INTERFACE: { description: 'Through the console or the command line.' },
  },
});

/** Fields of every record that knows who made it. */
@ObjectType({ implements: Node })
export abstract class Audited extends Node {
  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: Date;

  @Field(() => CHANNELS, { description: 'By which way it was created.' })
  createdVia!: 'api' | 'interface';

  @Field(() => UserType, {
    name: 'createdBy',
    nullable: true,
    description: 'Who created it; null where no user did.',
  })
  async creator(@Root() root: Audit, @Ctx() ctx: GraphqlContext): Promise<User | null> {
    return await ctx.one(users, root.createdBy);
  }
}
