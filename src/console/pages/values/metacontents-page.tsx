import type { ReactNode } from 'react';

import { graphql, mutations } from '../../api';
import { creating } from '../../record/dialog-button';
import { RecordPanel } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { Time } from '../../ui/facts';
import { NO_OWNER, OwnerLink, useOwnerFields } from './owner';
import { useText } from './words';

const METACONTENT = graphql(`
  fragment MetacontentRecord on Metacontent {
    id revision key value updatedAt
    group { id name }
    logicalNumber { id number }
  }
`);

export default function MetacontentsPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="metacontents"
      source={listOf(METACONTENT)}
      columns={[
        { id: 'key', title: text.key, order: 'KEY', width: 200, kind: 'code' },
        {
          id: 'value',
          title: text.value,
          width: 260,
          render: ({ value }) => <code>{JSON.stringify(value)}</code>,
        },
        { id: 'owner', title: text.owner, width: 160, render: (row) => <OwnerLink owner={row} /> },
        { id: 'updatedAt', title: text.updated, order: 'UPDATED_AT', width: 130, kind: 'ago' },
      ]}
      filters={[{ id: 'key', title: text.key, kind: 'text' }]}
      create={creating({
        title: text.newMetacontent,
        draft: 'metacontent',
        empty: { key: '', value: '', ...NO_OWNER },
        fields: [
          { name: 'key', label: text.key },
          { name: 'value', label: text.value, help: text.valueHelp, rows: 4, isJson: true },
          ...useOwnerFields(),
        ],
        document: mutations.metacontentCreate,
      })}
      panel={<MetacontentPanel />}
      empty={text.noValues}
    />
  );
}

function MetacontentPanel(): ReactNode {
  const text = useText();
  return (
    <RecordPanel
      fragment={METACONTENT}
      edit={{
        document: mutations.metacontentUpdate,
        fields: [{ name: 'value', label: text.value, help: text.valueHelp, rows: 8, isJson: true }],
      }}
      remove={mutations.metacontentDelete}
      tabs={(record) => [
        {
          facts: [
            { name: text.owner, value: <OwnerLink owner={record} /> },
            { name: text.updated, value: <Time at={record.updatedAt} /> },
          ],
          content: <pre className="code">{JSON.stringify(record.value, null, 2)}</pre>,
        },
      ]}
    />
  );
}
