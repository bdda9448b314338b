import type { ReactNode } from 'react';

import { graphql, useQuery } from '../../api';
import { DialogButton } from '../../record/dialog-button';
import { EditRecord } from '../../record/fields';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { SmallTable } from '../../table/small-table';
import { Empty } from '../../ui/states';
import NewParameter from '../values/new-parameter';
import { GroupNumbers } from './group-numbers';
import { GroupVersions, type Group } from './group-versions';
import { useText } from './words';

const GROUP = graphql(`
  query GroupRecord($id: ID!) {
    group(id: $id) {
      id
      revision
      name
      appVersions(first: 100) {
        nodes {
          id
          number
          app { name }
        }
      }
      defaultAppVersions(first: 100) { nodes { id } }
      parameters(first: 100, orderBy: { field: KEY, direction: ASC }) { nodes { id key value } }
      metacontents(first: 100, orderBy: { field: KEY, direction: ASC }) { nodes { id key value } }
    }
  }
`);

const UPDATE = graphql(`
  mutation GroupEdit($id: ID!, $ifMatch: Int, $input: GroupUpdateInput!) {
    groupUpdate(id: $id, ifMatch: $ifMatch, input: $input) {
      group {
        id
        history(first: 1) { nodes { sequence } }
      }
      userErrors { code message path rule params }
    }
  }
`);

const DELETE = graphql(`
  mutation GroupDelete($id: ID!, $ifMatch: Int) {
    groupDelete(id: $id, ifMatch: $ifMatch) { userErrors { code message path rule params } }
  }
`);

export default function GroupPanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const query = useQuery(GROUP, { id }, ['GROUP', 'PARAMETER', 'METACONTENT', 'APP_VERSION']);
  return (
    <RecordPanel
      query={query}
      record={({ group }) => group}
      title={({ name }) => name}
      edit={(group, close) => (
        <EditRecord
          record={group}
          present={{ name: group.name }}
          fields={[{ name: 'name', label: text.name }]}
          document={UPDATE}
          changes={['GROUP']}
          input={(values) => values}
          onClose={close}
        />
      )}
      remove={{ document: DELETE, changes: 'GROUP' }}
      history="GROUP"
      onClose={onClose}
      tabs={(group) => [
        { id: 'numbers', title: text.logicalNumbers, content: <GroupNumbers groupId={id} /> },
        { id: 'versions', title: text.appVersions, content: <GroupVersions group={group} /> },
        { id: 'parameters', title: text.parameters, content: <Parameters group={group} /> },
        {
          id: 'metacontents',
          title: text.metacontents,
          content: <Values rows={group.metacontents.nodes} page="/metacontents" />,
        },
      ]}
    />
  );
}

function Parameters({ group }: { readonly group: Group }): ReactNode {
  const text = useText();
  return (
    <>
      <div className="buttons">
        <DialogButton
          label={text.newParameter}
          dialog={(close) => <NewParameter owner={{ groupId: group.id }} onClose={close} />}
        />
      </div>
      {group.parameters.nodes.length === 0 && <Empty>{text.noParameters}</Empty>}
      <Values rows={group.parameters.nodes} page="/parameters" />
    </>
  );
}

interface ValuesProps {
  readonly rows: readonly { readonly id: string; readonly key: string; readonly value: unknown }[];
  readonly page: string;
}

function Values({ rows, page }: ValuesProps): ReactNode {
  return (
    <SmallTable
      rows={rows}
      hasTitles={false}
      columns={[
        { id: 'key', title: '', page },
        { id: 'value', title: '', render: ({ value }) => textOf(value) },
      ]}
    />
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
