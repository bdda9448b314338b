import { Field, ID, InputType } from 'type-graphql';

import { parseGlobalId } from '../../graphql/schema/node.js';
import type { OwnerIds } from './owner.model.js';

@InputType('OwnerInput', {
  description: 'Whose it is: a logical number or a group; exactly one of the two is given.',
})
export class OwnerInput {
  @Field(() => ID, { nullable: true, description: 'A logical number.' })
  logicalNumberId?: string | null;

  @Field(() => ID, { nullable: true, description: 'A group.' })
  groupId?: string | null;
}

/** The numbers behind the ids; what is no id of such a record is as good as one that nobody has. */
export function ownerIdsOf({ logicalNumberId, groupId }: OwnerInput): OwnerIds {
  return {
    logicalNumberId: numberOf('LogicalNumber', logicalNumberId),
    groupId: numberOf('Group', groupId),
  };
}

const NOBODY = 0;

function numberOf(typeName: string, id: string | null | undefined): number | null {
  if (id == null) return null;
  const parsed = parseGlobalId(id);
  return parsed?.typeName === typeName ? parsed.id : NOBODY;
}
