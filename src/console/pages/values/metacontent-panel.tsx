import type { ReactNode } from 'react';

import { graphql, useQuery } from '../../api';
import { EditRecord } from '../../record/fields';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { Facts, Time } from '../../ui/facts';
import { jsonOf } from './json';
import { OwnerLink } from './owner';
import { useText } from './words';

const METACONTENT = graphql(`
  query MetacontentRecord($id: ID!) {
    metacontent(id: $id) {
      id
      revision
      key
      value
      updatedAt
      group { id name }
      logicalNumber { id number }
    }
  }
`);

const UPDATE = graphql(`
  mutation MetacontentEdit($id: ID!, $ifMatch: Int, $input: MetacontentUpdateInput!) {
    metacontentUpdate(id: $id, ifMatch: $ifMatch, input: $input) {
      metacontent {
        id
        history(first: 1) { nodes { sequence } }
      }
      userErrors { code message path rule params }
    }
  }
`);

const DELETE = graphql(`
  mutation MetacontentDelete($id: ID!, $ifMatch: Int) {
    metacontentDelete(id: $id, ifMatch: $ifMatch) { userErrors { code message path rule params } }
  }
`);

export default function MetacontentPanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const query = useQuery(METACONTENT, { id }, ['METACONTENT']);
  return (
    <RecordPanel
      query={query}
      record={({ metacontent }) => metacontent}
      title={({ key }) => key}
      edit={(record, close) => (
        <EditRecord
          record={record}
          present={{ value: JSON.stringify(record.value, null, 2) }}
          fields={[{ name: 'value', label: text.value, help: text.valueHelp, rows: 8 }]}
          document={UPDATE}
          changes={['METACONTENT']}
          input={({ value }) => ({ value: jsonOf(value) })}
          onClose={close}
        />
      )}
      remove={{ document: DELETE, changes: 'METACONTENT' }}
      history="METACONTENT"
      onClose={onClose}
      tabs={(record) => [
        {
          id: 'facts',
          title: text.facts,
          content: (
            <>
              <Facts
                facts={[
                  { name: text.owner, value: <OwnerLink owner={record} /> },
                  { name: text.updated, value: <Time at={record.updatedAt} /> },
                ]}
              />
              <pre className="code">{JSON.stringify(record.value, null, 2)}</pre>
            </>
          ),
        },
      ]}
    />
  );
}
