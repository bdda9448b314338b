import { CompanyTable } from '../../../database/company/company-table.js';
import { changed, newValues } from '../../../platform/changes.js';
import { parse } from '../../../platform/validate.js';
import { ownedRecords } from '../owner/owner.service.js';
import { type Metacontent, MetacontentCreate, MetacontentUpdate } from './metacontent.model.js';

/** JSON values that terminals read by key, of a logical number or of a group. */
export const metacontents = ownedRecords({
  name: 'metacontent',
  typeName: 'Metacontent',
  table: new CompanyTable<'metacontents', Metacontent>('metacontents'),
  newValues: (input) => newValues(MetacontentCreate, input, {}),
  changed: (current, input) => changed(current, parse(MetacontentUpdate, input)),
});
