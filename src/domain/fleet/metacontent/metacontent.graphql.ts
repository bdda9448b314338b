import { json, nullable, text } from '../../../graphql/index.js';
import { auditedType } from '../../people/user/audited.graphql.js';
import { ownedRecordGraphql, type OwnerKeys } from '../owner/owner.graphql.js';
import { type Metacontent, MetacontentCreate, MetacontentUpdate } from './metacontent.model.js';
import { metacontents } from './metacontent.service.js';

const MetacontentType = auditedType<Metacontent, OwnerKeys>(
  'Metacontent',
  'A JSON setting of a logical number or of a group, which devices read by its key.',
  {
    key: text('Key, unique for its owner.'),
    value: nullable(json('Value: any JSON. Null is a value like any other.')),
  },
);

const VALUE = 'Any JSON value, at most 256 KiB as text.';

export const metacontentGraphql = ownedRecordGraphql({
  Record: MetacontentType,
  records: metacontents,
  create: { model: MetacontentCreate, descriptions: { value: `${VALUE} Required; null is a value.` } },
  update: {
    model: MetacontentUpdate,
    descriptions: { value: `${VALUE} Null is a value; it does not clear.` },
  },
});
