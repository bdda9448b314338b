import { type ClassType, Ctx, Field, Int, ObjectType, Root } from 'type-graphql';

import {
  DateTime,
  enumeration,
  Node,
  nodeType,
  planned,
  type FieldsOf,
  type GraphqlContext,
} from '../../../graphql/index.js';
import type { Channel as ChannelName } from '../../../platform/caller.js';
import type { Audit } from '../../../platform/changes.js';
import { users } from './member.service.js';
import { UserType } from './user.graphql.js';
import type { Member } from './user.model.js';

export const Channel = enumeration<ChannelName>('Channel', 'Interface through which a change was made.', {
  api: 'REST, GraphQL with a token (over HTTP, sockets or streams), or the command line.',
  interface: 'A console that people work in.',
});

/** The fields of every record that knows who created it. */
@ObjectType({ implements: Node })
abstract class Audited extends Node {
  @Field(() => Int, {
    description:
      'Starts at 1 and grows with each change. Pass it as `ifMatch` to change the record only as it is now.',
  })
  @planned({ kind: 'column', property: 'revision', scope: null })
  revision!: number;

  @Field(() => DateTime, { description: 'When the record was created.' })
  @planned({ kind: 'column', property: 'createdAt', scope: null })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When the record was last changed; equals `createdAt` until then.' })
  @planned({ kind: 'column', property: 'updatedAt', scope: null })
  updatedAt!: Date;

  @Field(() => Channel.values, { description: 'Interface through which the record was created.' })
  @planned({ kind: 'column', property: 'createdVia', scope: null })
  createdVia!: ChannelName;

  @Field(() => UserType, {
    name: 'createdBy',
    nullable: true,
    description: 'User who created the record. Null if that user is no longer a member.',
  })
  @planned({ kind: 'one', list: users, reference: 'createdBy' })
  async creator(@Root() root: Audit, @Ctx() ctx: GraphqlContext): Promise<Member | null> {
    return await ctx.one(users, root.createdBy);
  }
}

/** A node type with audit fields, for records of type `T`. `Hidden` names properties without a field. */
export function auditedType<T extends Audit & { readonly id: number }, Hidden extends keyof T = never>(
  name: string,
  description: string,
  fields: FieldsOf<T, 'id' | keyof Audit | Hidden>,
): ClassType<T> {
  return nodeType<T, keyof Audit | Hidden>(name, description, fields, Audited);
}
