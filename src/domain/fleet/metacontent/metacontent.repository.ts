import { auditOf } from '../../../database/audit.js';
import { CompanyTable } from '../../../database/company/company-table.js';
import { auditedList } from '../../../database/list/list.js';
import { json } from '../../../database/storage.js';
import type { Json } from '../../../platform/encoding/json.js';
import type { Metacontent } from './metacontent.model.js';

const valueColumn = json<Json>();

export const metacontentTable = new CompanyTable<'metacontents', Metacontent>({
  table: 'metacontents',
  recordOf: (row) => ({
    id: row.id,
    key: row.key,
    value: valueColumn.fromColumn(row.value),
    groupId: row.group_id,
    logicalNumberId: row.logical_number_id,
    ...auditOf(row),
  }),
  columnsOf: (metacontent) => ({
    key: metacontent.key,
    value: valueColumn.toColumn(metacontent.value),
    group_id: metacontent.groupId,
    logical_number_id: metacontent.logicalNumberId,
  }),
});

export const metacontentList = auditedList(metacontentTable, {
  name: 'Metacontent',
  isLarge: true,
  columns: { key: 'key', value: 'value', groupId: 'group_id', logicalNumberId: 'logical_number_id' },
  orders: { KEY: 'key' },
  filters: {
    key: { column: 'key', kind: 'text', order: 'ID' },
    groupId: { column: 'group_id', kind: 'id', order: 'ID' },
    logicalNumberId: { column: 'logical_number_id', kind: 'id', order: 'ID' },
  },
});

export const metacontentsOfGroup = metacontentList.of({ column: 'group_id' });
export const metacontentsOfLogicalNumber = metacontentList.of({ column: 'logical_number_id' });
