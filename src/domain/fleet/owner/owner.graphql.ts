import { Field, ID, InputType } from 'type-graphql';

import { numberIn } from '../../../graphql/index.js';
import type { OwnerIds } from './owner.model.js';

@InputType('OwnerInput', {
  description: 'The owner of a parameter or metacontent: either a logical number or a group.',
})
export class OwnerInput {
  @Field(() => ID, { nullable: true, description: 'Global id of the logical number.' })
  logicalNumberId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Global id of the group.' })
  groupId?: string | null;
}

/** The numbers in the global ids. */
export function ownerIdsOf({ logicalNumberId, groupId }: OwnerInput): OwnerIds {
  return {
    logicalNumberId: numberOf('LogicalNumber', logicalNumberId),
    groupId: numberOf('Group', groupId),
  };
}

/** The number of no record: a text that is not an id of the type is handled as an unknown id. */
const UNKNOWN = 0;

function numberOf(typeName: string, id: string | null | undefined): number | null {
  return id == null ? null : (numberIn(typeName, id) ?? UNKNOWN);
}
