import { auditOf } from '../../../database/audit.js';
import { CompanyTable } from '../../../database/company/company-table.js';
import { auditedList } from '../../../database/list/list.js';
import type { File, FileType } from './file.model.js';

export const fileTable = new CompanyTable<'files', File>({
  table: 'files',
  recordOf: (row) => ({
    id: row.id,
    name: row.name,
    fileType: row.file_type as FileType,
    description: row.description,
    contentId: row.content_id,
    size: row.size,
    crc: row.crc,
    ...auditOf(row),
  }),
  columnsOf: (file) => ({
    name: file.name,
    file_type: file.fileType,
    description: file.description,
    content_id: file.contentId,
    size: file.size,
    crc: file.crc,
  }),
});

export const files = auditedList(fileTable, {
  name: 'File',
  columns: {
    name: 'name',
    fileType: 'file_type',
    description: 'description',
    size: 'size',
    crc: 'crc',
  },
  orders: { NAME: 'name' },
  filters: {
    name: { column: 'name', kind: 'text', isUnique: true },
    fileType: { column: 'file_type', kind: 'choice', order: 'ID' },
  },
});

export const filesOfAppVersion = files.of({
  link: 'app_version_files',
  parent: 'app_version_id',
  child: 'file_id',
});
