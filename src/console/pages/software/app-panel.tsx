import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { useQuery } from '../../api/query';
import { useMay } from '../../app/session';
import type { AppRecordQuery } from '../../gql/graphql';
import { EditFields } from '../../record/fields';
import { RecordPanel } from '../../record/panel';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Button } from '../../ui/button';
import { Ago, Facts, Time } from '../../ui/facts';
import { Empty } from '../../ui/states';
import { NewVersion } from './new-version';
import { words } from './words';

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
      createdBy { name }
      versions(first: 100, orderBy: { field: CREATED_AT, direction: DESC }) {
        totalCount
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
        history(first: 1) {
          nodes { sequence }
        }
      }
      userErrors { code message path rule params }
    }
  }
`);

const DELETE = graphql(`
  mutation AppDelete($id: ID!, $ifMatch: Int, $force: Boolean) {
    appDelete(id: $id, ifMatch: $ifMatch, force: $force) {
      deletedId
      userErrors { code message path rule params }
    }
  }
`);

type App = NonNullable<AppRecordQuery['app']>;

export function AppPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }): ReactNode {
  const text = useTexts(words);
  const query = useQuery(APP, { id }, ['APP', 'APP_VERSION']);
  return (
    <RecordPanel
      query={query}
      record={({ app }) => app}
      title={({ name }) => name}
      edit={(app, close) => <AppForm app={app} onClose={close} />}
      remove={{ document: DELETE, changes: 'APP' }}
      history="APP"
      onClose={onClose}
      tabs={(app) => [
        { id: 'versions', title: text.versions, content: <Versions app={app} /> },
        {
          id: 'facts',
          title: text.facts,
          content: (
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
          ),
        },
      ]}
    />
  );
}

function Versions({ app }: { readonly app: App }): ReactNode {
  const text = useTexts(words);
  const format = useFormat();
  const mayWrite = useMay('WRITE');
  const [isAdding, setAdding] = useState(false);
  const { nodes } = app.versions;
  return (
    <>
      {mayWrite && (
        <div className="buttons">
          <Button icon="add" look="primary" onPress={() => setAdding(true)}>
            {text.addVersion}
          </Button>
        </div>
      )}
      {nodes.length === 0 && <Empty>{text.noVersions}</Empty>}
      {nodes.length > 0 && (
        <table className="plain-table">
          <thead>
            <tr>
              <th>{text.number}</th>
              <th className="end">{text.size}</th>
              <th>{text.created}</th>
              <th className="end">{text.granted}</th>
              <th className="end">{text.current}</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map(({ id, number, size, createdAt, reach }) => (
              <tr key={id}>
                <td>
                  <Link to="/app-versions" search={{ open: id }}>
                    {number}
                  </Link>
                </td>
                <td className="end">{format.bytes(size)}</td>
                <td>
                  <Ago at={createdAt} />
                </td>
                <td className="end">{format.number(reach.granted)}</td>
                <td className="end">{format.number(reach.current)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isAdding && <NewVersion app={app} onClose={() => setAdding(false)} />}
    </>
  );
}

function AppForm({ app, onClose }: { readonly app: App; readonly onClose: () => void }): ReactNode {
  const text = useTexts(words);
  return (
    <EditFields
      record={app}
      present={{ name: app.name, description: app.description ?? '' }}
      fields={[
        { name: 'name', label: text.name },
        { name: 'description', label: text.description, rows: 3 },
      ]}
      mutation={useMutation(UPDATE, ['APP'])}
      input={({ name, description }, ifMatch) => ({
        id: app.id,
        ifMatch,
        input: { name, description: description || null },
      })}
      changed={(payload) => payload.app}
      onClose={onClose}
    />
  );
}
