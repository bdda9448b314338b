import { auditOf } from '../../../database/audit.js';
import { CompanyTable } from '../../../database/company/company-table.js';
import { auditedList } from '../../../database/list/list.js';
import { flag } from '../../../database/storage.js';
import type { AppVersion } from './app-version.model.js';

export const appVersionTable = new CompanyTable<'app_versions', AppVersion>({
  table: 'app_versions',
  recordOf: (row) => ({
    id: row.id,
    appId: row.app_id,
    number: row.number,
    displayable: flag.fromColumn(row.displayable),
    authorizerUrl: row.authorizer_url,
    posDisplayLabel: row.pos_display_label,
    uuid: row.uuid,
    contentId: row.content_id,
    size: row.size,
    crc: row.crc,
    ...auditOf(row),
  }),
  columnsOf: (version) => ({
    app_id: version.appId,
    number: version.number,
    displayable: flag.toColumn(version.displayable),
    authorizer_url: version.authorizerUrl,
    pos_display_label: version.posDisplayLabel,
    uuid: version.uuid,
    content_id: version.contentId,
    size: version.size,
    crc: version.crc,
  }),
});

export const appVersions = auditedList(appVersionTable, {
  name: 'AppVersion',
  columns: {
    appId: 'app_id',
    number: 'number',
    displayable: 'displayable',
    authorizerUrl: 'authorizer_url',
    posDisplayLabel: 'pos_display_label',
    uuid: 'uuid',
    size: 'size',
    crc: 'crc',
  },
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
