import { auditOf } from '../../database/audit.js';
import { listOf } from '../../database/list/list.js';
import { OwnedRows } from '../../database/owned-rows.js';
import { json } from '../../database/storage.js';
import type { Row } from '../../database/tables.js';
import type { Json } from '../../platform/encoding/json.js';
import type { Metacontent, MetacontentValues } from './metacontent.model.js';

const valueColumn = json<Json>();

function metacontentOf(row: Row<'metacontents'>): Metacontent {
  return {
    id: row.id,
    key: row.key,
    value: valueColumn.fromColumn(row.value),
    groupId: row.group_id,
    logicalNumberId: row.logical_number_id,
    ...auditOf(row),
  };
}

export const metacontentRows = new OwnedRows<Metacontent, MetacontentValues>(
  'metacontents',
  metacontentOf,
  ({ key, value }) => ({ key, value: valueColumn.toColumn(value) }),
);

export const metacontentList = listOf<'metacontents', Metacontent>({
  name: 'Metacontent',
  isLarge: true,
  table: 'metacontents',
  id: 'id',
  orders: { ID: 'id', KEY: 'key', CREATED_AT: 'created_at', UPDATED_AT: 'updated_at' },
  filters: {
    id: { column: 'id', kind: 'id' },
    key: { column: 'key', kind: 'text' },
    groupId: { column: 'group_id', kind: 'id' },
    logicalNumberId: { column: 'logical_number_id', kind: 'id' },
    createdAt: { column: 'created_at', kind: 'instant' },
    updatedAt: { column: 'updated_at', kind: 'instant' },
  },
  recordOf: metacontentOf,
});

export const metacontentsOfGroup = metacontentList.of({ column: 'group_id' });
export const metacontentsOfLogicalNumber = metacontentList.of({ column: 'logical_number_id' });
