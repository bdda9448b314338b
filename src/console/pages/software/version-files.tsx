import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { useMay } from '../../app/session';
import type { AppVersionRecordQuery } from '../../gql/graphql';
import { findFiles } from '../../record/find';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Button } from '../../ui/button';
import { ReferenceInput } from '../../ui/reference-input';
import { FailureNote } from '../../ui/states';
import { words as common } from '../../ui/words';
import { words } from './words';

const SET_FILES = graphql(`
  mutation AppVersionSetFiles($id: ID!, $fileIds: [ID!]!, $ifMatch: Int) {
    appVersionSetFiles(id: $id, fileIds: $fileIds, ifMatch: $ifMatch) {
      appVersion { id }
      userErrors { code message path rule params }
    }
  }
`);

export type Version = NonNullable<AppVersionRecordQuery['appVersion']>;

/** Files that terminals get with a version; they are added and removed one by one. */
export function VersionFiles({ version }: { readonly version: Version }): ReactNode {
  const text = useTexts(words);
  const commonText = useTexts(common);
  const format = useFormat();
  const mayWrite = useMay('WRITE');
  const { run, failure, errors } = useMutation(SET_FILES, ['APP_VERSION']);
  const { id, revision } = version;
  const files = version.files.nodes;
  const set = (fileIds: readonly string[]): void =>
    void run({ id, fileIds: [...fileIds], ifMatch: revision });
  const ids = files.map((file) => file.id);
  const problem = failure ?? errors[0];
  return (
    <>
      {problem && <FailureNote failure={problem} />}
      <table className="plain-table">
        <tbody>
          {files.map((file) => (
            <tr key={file.id}>
              <td>
                <Link to="/files" search={{ open: file.id }}>
                  {file.name}
                </Link>
              </td>
              <td className="end">{format.bytes(file.size)}</td>
              <td className="end">
                {mayWrite && (
                  <Button onPress={() => set(ids.filter((each) => each !== file.id))}>
                    {commonText.remove}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {mayWrite && (
        <ReferenceInput
          key={ids.length}
          label={commonText.add}
          value={null}
          find={findFiles}
          onChange={(file) => {
            if (file) set([...new Set([...ids, file.id])]);
          }}
        />
      )}
      {files.length === 0 && <p className="faint">{text.noFiles}</p>}
    </>
  );
}
