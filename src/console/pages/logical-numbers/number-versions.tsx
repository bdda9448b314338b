import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { useMay } from '../../app/session';
import type { LogicalNumberRecordQuery } from '../../gql/graphql';
import { EditForm } from '../../record/edit-form';
import { Checkbox } from '../../ui/checkbox';
import { Empty } from '../../ui/states';
import { useText } from './words';

const SET = graphql(`
  mutation LogicalNumberVersions($id: ID!, $ifMatch: Int, $appVersionIds: [ID!]!) {
    logicalNumberSetAppVersions(id: $id, ifMatch: $ifMatch, appVersionIds: $appVersionIds) {
      logicalNumber {
        id
        history(first: 1) { nodes { sequence } }
      }
      userErrors { code message path rule params }
    }
  }
`);

export type LogicalNumber = NonNullable<LogicalNumberRecordQuery['logicalNumber']>;

/** The app versions of the group, and which of them the terminals of the logical number get. */
export function NumberVersions({ logicalNumber }: { readonly logicalNumber: LogicalNumber }): ReactNode {
  const text = useText();
  const mayWrite = useMay('WRITE');
  const [saved, setSaved] = useState(0);
  const mutation = useMutation(SET, ['LOGICAL_NUMBER']);
  const { id, group } = logicalNumber;
  if (!group) return <Empty>{text.noGroup}</Empty>;
  const versions = group.appVersions.nodes.map((each) => ({
    id: each.id,
    name: `${each.app.name} ${each.number}`,
  }));
  if (versions.length === 0) return <Empty>{text.noGroupVersions}</Empty>;
  const chosen = logicalNumber.appVersions.nodes.map((each) => each.id).toSorted();
  const namesOf = (ids: readonly string[]): string =>
    versions
      .filter((version) => ids.includes(version.id))
      .map(({ name }) => name)
      .join(', ');
  if (!mayWrite) return <p>{namesOf(chosen)}</p>;
  return (
    <EditForm
      key={saved}
      record={logicalNumber}
      present={{ appVersionIds: chosen }}
      mutation={mutation}
      variables={({ appVersionIds }, ifMatch) => ({ id, ifMatch, appVersionIds })}
      changed={(payload) => payload.logicalNumber}
      fields={[{ title: text.appVersions, show: ({ appVersionIds }) => namesOf(appVersionIds) }]}
      shown={[]}
      onClose={() => setSaved(saved + 1)}
    >
      {({ values: { appVersionIds }, set }) => (
        <>
          <p className="faint">{text.versionsHelp}</p>
          {versions.map((version) => (
            <div key={version.id} className="choice-row">
              <Checkbox
                isSelected={appVersionIds.includes(version.id)}
                onChange={(isSelected) => {
                  const others = appVersionIds.filter((each) => each !== version.id);
                  set({ appVersionIds: (isSelected ? [...others, version.id] : others).toSorted() });
                }}
              >
                {version.name}
              </Checkbox>
              <Link to="/app-versions" search={{ open: version.id }}>
                {text.open}
              </Link>
            </div>
          ))}
        </>
      )}
    </EditForm>
  );
}
