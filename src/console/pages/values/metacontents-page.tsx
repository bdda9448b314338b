import type { ReactNode } from 'react';

import { fragment, mutations } from '../../api';
import { RecordPanel } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { Facts } from '../../table/shown';
import { OWNER } from './owner';
import { useText } from './words';

const METACONTENT = fragment(`
  fragment MetacontentRecord on Metacontent {
    id revision key value updatedAt
    group { id name }
    logicalNumber { id number }
  }
`);

export default function MetacontentsPage(): ReactNode {
  const text = useText();
  const valueField = { name: 'value', help: text.jsonHelp, rows: 4, isJson: true };
  return (
    <ListPage
      id="metacontents"
      text={text}
      source={listOf(METACONTENT)}
      columns={[
        'key',
        { id: 'value', render: ({ value }) => <code>{JSON.stringify(value)}</code> },
        'group',
        'logicalNumber',
        'updatedAt',
      ]}
      filters={['key']}
      create={{
        title: text.newMetacontent,
        fields: ['key', valueField, ...OWNER],
        document: mutations.metacontentCreate,
      }}
      panel={
        <RecordPanel
          fragment={METACONTENT}
          edit={{ document: mutations.metacontentUpdate, fields: [{ ...valueField, rows: 8 }] }}
          remove={mutations.metacontentDelete}
          tabs={(record) => ({
            facts: (
              <>
                <Facts facts={[record.group ? 'group' : 'logicalNumber', 'updatedAt']} record={record} />
                <pre className="code">{JSON.stringify(record.value, null, 2)}</pre>
              </>
            ),
          })}
        />
      }
    />
  );
}
