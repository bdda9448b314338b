import type { ReactNode } from 'react';

import { graphql, useMutation } from '../../api';
import type { AppVersionRecordQuery } from '../../gql/graphql';
import { findAppVersions, findFiles } from '../../record/find';
import { LinkList } from '../../record/link-list';
import { useFormat } from '../../text/format';
import { useText } from './words';

const SET_FILES = graphql(`
  mutation AppVersionSetFiles($id: ID!, $fileIds: [ID!]!, $ifMatch: Int) {
    appVersionSetFiles(id: $id, fileIds: $fileIds, ifMatch: $ifMatch) {
      userErrors { code message path rule params }
    }
  }
`);

const SET_MODULES = graphql(`
  mutation AppVersionSetModules($id: ID!, $moduleIds: [ID!]!, $ifMatch: Int) {
    appVersionSetModules(id: $id, moduleIds: $moduleIds, ifMatch: $ifMatch) {
      userErrors { code message path rule params }
    }
  }
`);

export type Version = NonNullable<AppVersionRecordQuery['appVersion']>;

/** Files that terminals get with a version. */
export function VersionFiles({ version }: { readonly version: Version }): ReactNode {
  const text = useText();
  const format = useFormat();
  const { run, problem } = useMutation(SET_FILES, ['APP_VERSION']);
  const { id, revision: ifMatch } = version;
  const ids = version.files.nodes.map((file) => file.id);
  return (
    <LinkList
      rows={version.files.nodes}
      page="/files"
      add={text.add}
      find={findFiles}
      onAdd={(added) => void run({ id, fileIds: [...new Set([...ids, added])], ifMatch })}
      onRemove={(removed) => void run({ id, fileIds: ids.filter((each) => each !== removed), ifMatch })}
      problem={problem}
      cell={({ size }) => format.bytes(size)}
      empty={text.noFiles}
    />
  );
}

/** Versions of modules that are part of a version. */
export function VersionModules({ version }: { readonly version: Version }): ReactNode {
  const text = useText();
  const { run, problem } = useMutation(SET_MODULES, ['APP_VERSION']);
  const { id, revision: ifMatch } = version;
  const rows = version.modules.nodes;
  const ids = rows.map((row) => row.id);
  return (
    <LinkList
      rows={rows}
      page="/app-versions"
      add={text.add}
      find={findAppVersions}
      onAdd={(added) => void run({ id, moduleIds: [...new Set([...ids, added])], ifMatch })}
      onRemove={(removed) => void run({ id, moduleIds: ids.filter((each) => each !== removed), ifMatch })}
      problem={problem}
      empty={text.noModules}
    />
  );
}
