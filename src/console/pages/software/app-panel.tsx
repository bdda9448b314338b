import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { useQuery } from '../../api/query';
import { useMay } from '../../app/session';
import type { AppRecordQuery } from '../../gql/graphql';
import { DeleteButton } from '../../record/delete-dialog';
import { EditForm } from '../../record/edit-form';
import { RecordHistory } from '../../record/history';
import { RecordPanel } from '../../record/panel';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Button } from '../../ui/button';
import { Ago, Facts, Time } from '../../ui/facts';
import { TextInput } from '../../ui/field';
import { errorAt } from '../../ui/form';
import { Empty } from '../../ui/states';
import { words as common } from '../../ui/words';
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
  const commonText = useTexts(common);
  const mayWrite = useMay('WRITE');
  const [isEditing, setEditing] = useState(false);
  const query = useQuery(APP, { id }, ['APP', 'APP_VERSION']);
  return (
    <RecordPanel
      query={query}
      record={({ app }) => app}
      title={({ name }) => name}
      actions={(app) =>
        mayWrite && (
          <>
            <Button icon="edit" onPress={() => setEditing(!isEditing)}>
              {commonText.edit}
            </Button>
            <DeleteButton record={app} name={app.name} document={DELETE} changes="APP" onDeleted={onClose} />
          </>
        )
      }
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
        { id: 'history', title: text.history, content: <RecordHistory id={id} type="APP" /> },
      ]}
    >
      {(app) => isEditing && <AppForm app={app} onClose={() => setEditing(false)} />}
    </RecordPanel>
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
  const mutation = useMutation(UPDATE, ['APP']);
  return (
    <EditForm
      record={app}
      present={{ name: app.name, description: app.description ?? '' }}
      mutation={mutation}
      variables={({ name, description }, ifMatch) => ({
        id: app.id,
        ifMatch,
        input: { name, description: description || null },
      })}
      changed={(payload) => payload.app}
      fields={[
        { title: text.name, show: ({ name }) => name },
        { title: text.description, show: ({ description }) => description },
      ]}
      shown={['input.name', 'input.description']}
      onClose={onClose}
    >
      {({ values, set }) => (
        <>
          <TextInput
            label={text.name}
            value={values.name}
            onChange={(name) => set({ name })}
            error={errorAt(mutation.errors, 'input', 'name')}
          />
          <TextInput
            label={text.description}
            rows={3}
            value={values.description}
            onChange={(description) => set({ description })}
            error={errorAt(mutation.errors, 'input', 'description')}
          />
        </>
      )}
    </EditForm>
  );
}
