import { CompanyTable } from '../../../database/company/company-table.js';
import { auditedList } from '../../../database/list/list.js';
import type { AppVersion } from './app-version.model.js';

export const appVersionTable = new CompanyTable<'app_versions', AppVersion>('app_versions');

export const appVersions = auditedList(appVersionTable, {
  name: 'AppVersion',
  orders: { NUMBER: 'number' },
  filters: {
    appId: { column: 'app_id', kind: 'id', order: 'ID' },
    number: { column: 'number', kind: 'text', order: 'ID' },
  },
});

export const appVersionsOfApp = appVersions.of({ column: 'app_id' });
export const appVersionsOfFile = appVersions.of({
  link: 'app_version_files',
  parent: 'file_id',
  child: 'app_version_id',
});
export const appVersionsOfGroup = appVersions.of({
  link: 'app_version_groups',
  parent: 'group_id',
  child: 'app_version_id',
});
export const defaultVersionsOfGroup = appVersions.of({
  link: 'group_default_versions',
  parent: 'group_id',
  child: 'app_version_id',
});
export const appVersionsOfLogicalNumber = appVersions.of({
  link: 'logical_number_app_versions',
  parent: 'logical_number_id',
  child: 'app_version_id',
});
export const modulesOfAppVersion = appVersions.of({
  link: 'app_version_modules',
  parent: 'app_version_id',
  child: 'module_id',
});
