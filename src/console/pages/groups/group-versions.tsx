import type { ReactNode } from 'react';

import { graphql, useMutation } from '../../api';
import { useMay } from '../../app/session';
import type { GroupRecordQuery } from '../../gql/graphql';
import { findAppVersions } from '../../record/find';
import { LinkList } from '../../record/link-list';
import { Checkbox } from '../../ui/checkbox';
import { SET_DEFAULTS } from './set-defaults';
import { useText } from './words';

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

export type Group = NonNullable<GroupRecordQuery['group']>;

/** App versions that numbers of the group may have, and which of them a number gets when it comes into the group. */
export function GroupVersions({ group }: { readonly group: Group }): ReactNode {
  const text = useText();
  const mayWrite = useMay('WRITE');
  const attach = useMutation(ATTACH, ['GROUP', 'APP_VERSION']);
  const detach = useMutation(DETACH, ['GROUP', 'APP_VERSION']);
  const setDefaults = useMutation(SET_DEFAULTS, ['GROUP']);
  const problem = attach.problem ?? detach.problem ?? setDefaults.problem;
  const { id, revision: ifMatch } = group;
  const defaults = group.defaultAppVersions.nodes.map((version) => version.id);
  const setDefault = (versionId: string, isDefault: boolean): void => {
    const others = defaults.filter((each) => each !== versionId);
    void setDefaults.run({ id, ifMatch, appVersionIds: isDefault ? [...others, versionId] : others });
  };
  return (
    <LinkList
      rows={group.appVersions.nodes}
      page="/app-versions"
      add={text.attach}
      find={findAppVersions}
      onAdd={(versionId) => void attach.run({ id, appVersionIds: [versionId] })}
      onRemove={(versionId) => void detach.run({ id, appVersionIds: [versionId] })}
      problem={problem}
      cell={(row) => (
        <Checkbox
          isSelected={defaults.includes(row.id)}
          isDisabled={!mayWrite}
          onChange={(isDefault) => setDefault(row.id, isDefault)}
        >
          {text.getsNew}
        </Checkbox>
      )}
      empty={text.noVersions}
    />
  );
}
