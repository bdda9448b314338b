import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { useMay } from '../../app/session';
import type { GroupRecordQuery } from '../../gql/graphql';
import { findAppVersions } from '../../record/find';
import { useTexts } from '../../text';
import { Button } from '../../ui/button';
import { ReferenceInput } from '../../ui/reference-input';
import { FailureNote } from '../../ui/states';
import { words as common } from '../../ui/words';
import { words } from './words';

const ATTACH = graphql(`
  mutation GroupAttach($id: ID!, $appVersionIds: [ID!]!) {
    groupAttachAppVersions(id: $id, appVersionIds: $appVersionIds) {
      userErrors { code message path rule params }
    }
  }
`);

const DETACH = graphql(`
  mutation GroupDetach($id: ID!, $appVersionIds: [ID!]!) {
    groupDetachAppVersions(id: $id, appVersionIds: $appVersionIds) {
      userErrors { code message path rule params }
    }
  }
`);

/** App versions that logical numbers get with the group. */
export type Group = NonNullable<GroupRecordQuery['group']>;

export function GroupVersions({ group }: { readonly group: Group }): ReactNode {
  const text = useTexts(words);
  const commonText = useTexts(common);
  const mayWrite = useMay('WRITE');
  const attach = useMutation(ATTACH, ['GROUP', 'APP_VERSION']);
  const detach = useMutation(DETACH, ['GROUP', 'APP_VERSION']);
  const problem = attach.failure ?? attach.errors[0] ?? detach.failure ?? detach.errors[0];
  const versions = group.appVersions.nodes;
  return (
    <>
      <p className="faint">{text.appVersionsHelp}</p>
      {problem && <FailureNote failure={problem} />}
      <table className="plain-table">
        <tbody>
          {versions.map(({ id, number, app }) => (
            <tr key={id}>
              <td>
                <Link to="/app-versions" search={{ open: id }}>
                  {`${app.name} ${number}`}
                </Link>
              </td>
              <td className="end">
                {mayWrite && (
                  <Button onPress={() => void detach.run({ id: group.id, appVersionIds: [id] })}>
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
          key={versions.length}
          label={text.attach}
          value={null}
          find={findAppVersions}
          onChange={(version) => version && void attach.run({ id: group.id, appVersionIds: [version.id] })}
        />
      )}
    </>
  );
}
