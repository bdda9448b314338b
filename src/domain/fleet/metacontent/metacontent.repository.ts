import { CompanyTable } from '../../../database/company/company-table.js';
import { auditedList } from '../../../database/list/list.js';
import type { Metacontent } from './metacontent.model.js';

export const metacontentTable = new CompanyTable<'metacontents', Metacontent>('metacontents');

export const metacontentList = auditedList(metacontentTable, {
  name: 'Metacontent',
  isLarge: true,
  orders: { KEY: 'key' },
  filters: {
    key: { column: 'key', kind: 'text', order: 'ID' },
    groupId: { column: 'group_id', kind: 'id', order: 'ID' },
    logicalNumberId: { column: 'logical_number_id', kind: 'id', order: 'ID' },
  },
});

export const metacontentsOfGroup = metacontentList.of({ column: 'group_id' });
export const metacontentsOfLogicalNumber = metacontentList.of({ column: 'logical_number_id' });
