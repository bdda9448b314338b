import type { ReactNode } from 'react';

import { graphql, useQuery } from '../../api';
import type { AppRecordQuery } from '../../gql/graphql';
import { DialogButton } from '../../record/dialog-button';
import { EditRecord } from '../../record/fields';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { SmallTable } from '../../table/small-table';
import { useFormat } from '../../text/format';
import { Facts, Time } from '../../ui/facts';
import { Empty } from '../../ui/states';
import { NewVersion } from './new-version';
import { useText } from './words';

const APP = graphql(`
  query AppRecord($id: ID!) {
    app(id: $id) {
      id
      revision
      name
      kind
      language
      communicationFormat
      description
      createdAt
      updatedAt
      versions(first: 100, orderBy: { field: CREATED_AT, direction: DESC }) {
        nodes {
          id
          number
          size
          createdAt
          reach { granted current }
        }
      }
    }
  }
`);

const UPDATE = graphql(`
  mutation AppEdit($id: ID!, $ifMatch: Int, $input: AppUpdateInput!) {
    appUpdate(id: $id, ifMatch: $ifMatch, input: $input) {
      app {
        id
        history(first: 1) { nodes { sequence } }
      }
      userErrors { code message path rule params }
    }
  }
`);

const DELETE = graphql(`
  mutation AppDelete($id: ID!, $ifMatch: Int, $force: Boolean) {
    appDelete(id: $id, ifMatch: $ifMatch, force: $force) {
      userErrors { code message path rule params }
    }
  }
`);

type App = NonNullable<AppRecordQuery['app']>;

export default function AppPanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const query = useQuery(APP, { id }, ['APP', 'APP_VERSION']);
  return (
    <RecordPanel
      query={query}
      record={({ app }) => app}
      title={({ name }) => name}
      edit={(app, close) => (
        <EditRecord
          record={app}
          present={{ name: app.name, description: app.description ?? '' }}
          fields={[
            { name: 'name', label: text.name },
            { name: 'description', label: text.description, rows: 3 },
          ]}
          document={UPDATE}
          changes={['APP']}
          input={({ name, description }) => ({ name, description: description || null })}
          onClose={close}
        />
      )}
      remove={{ document: DELETE, changes: 'APP' }}
      history="APP"
      onClose={onClose}
      tabs={(app) => [
        { id: 'versions', title: text.versions, content: <Versions app={app} /> },
        { id: 'facts', title: text.facts, content: <AppFacts app={app} /> },
      ]}
    />
  );
}

function AppFacts({ app }: { readonly app: App }): ReactNode {
  const text = useText();
  return (
    <Facts
      facts={[
        { name: text.kind, value: text[app.kind] },
        { name: text.language, value: app.language },
        { name: text.format, value: app.communicationFormat },
        { name: text.description, value: app.description },
        { name: text.created, value: <Time at={app.createdAt} /> },
        { name: text.updated, value: <Time at={app.updatedAt} /> },
      ]}
    />
  );
}

function Versions({ app }: { readonly app: App }): ReactNode {
  const text = useText();
  const format = useFormat();
  const { nodes } = app.versions;
  return (
    <>
      <div className="buttons">
        <DialogButton
          label={text.addVersion}
          look="primary"
          dialog={(close) => <NewVersion app={app} onClose={close} />}
        />
      </div>
      {nodes.length === 0 && <Empty>{text.noVersions}</Empty>}
      {nodes.length > 0 && (
        <SmallTable
          rows={nodes}
          columns={[
            { id: 'number', title: text.number, page: '/app-versions' },
            { id: 'size', title: text.size, kind: 'bytes' },
            { id: 'createdAt', title: text.created, kind: 'ago' },
            {
              id: 'granted',
              title: text.granted,
              align: 'end',
              render: (row) => format.number(row.reach.granted),
            },
            {
              id: 'current',
              title: text.current,
              align: 'end',
              render: (row) => format.number(row.reach.current),
            },
          ]}
        />
      )}
    </>
  );
}
