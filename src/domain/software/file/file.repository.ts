import { CompanyTable } from '../../../database/company/company-table.js';
import { auditedList } from '../../../database/list/list.js';
import type { File } from './file.model.js';

export const fileTable = new CompanyTable<'files', File>('files');

export const files = auditedList(fileTable, {
  name: 'File',
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
