import {
  choice,
  type ClassType,
  enumeration,
  fields,
  instant,
  int,
  nodeType,
  one,
  type FieldsOf,
} from '../../../graphql/index.js';
import type { Channel as ChannelName } from '../../../platform/caller.js';
import type { Audit } from '../../../platform/validate.js';
import { UserList } from './user.graphql.js';

export const Channel = enumeration<ChannelName>('Channel', 'Interface through which a change was made.', {
  api: 'REST, GraphQL with a token (over HTTP, sockets or streams), or the command line.',
  interface: 'A console that people work in.',
});

/** The fields of every record that knows who created it. */
const AUDITED = {
  revision: int(
    'Starts at 1 and grows with each change. Pass it as `ifMatch` to change the record only as it is now.',
  ),
  createdAt: instant('When the record was created.'),
  updatedAt: instant('When the record was last changed; equals `createdAt` until then.'),
  createdVia: choice(Channel, 'Interface through which the record was created.'),
};

/** A node type with audit fields, for records of type `T`. `Hidden` names properties without a field. */
export function auditedType<T extends Audit & { readonly id: number }, Hidden extends keyof T = never>(
  name: string,
  description: string,
  shown: FieldsOf<T, 'id' | keyof Audit | Hidden>,
): ClassType<T> {
  const Type = nodeType<T, keyof Audit | Hidden>(name, description, { ...AUDITED, ...shown });
  fields<Audit>(Type, {
    createdBy: one(
      UserList,
      'createdBy',
      'User who created the record. Null if that user is no longer a member.',
    ),
  });
  return Type;
}
