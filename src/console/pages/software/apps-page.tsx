import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { fragment, mutations } from '../../api';
import type { AppRecordFragment } from '../../gql/graphql';
import { creating, DialogButton } from '../../record/dialog-button';
import { RecordPanel } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { Facts, factsOf, SmallTable } from '../../table/shown';
import { useText } from './words';

const ROW = fragment(`
  fragment AppRow on App {
    id name kind language communicationFormat description updatedAt
  }
`);

const KINDS = ['STANDARD', 'MODULE'] as const;

export default function AppsPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="apps"
      text={text}
      source={listOf(ROW)}
      columns={['name', 'kind', 'language', 'communicationFormat', 'description', 'updatedAt']}
      filters={['name', { id: 'kind', values: KINDS }, 'language']}
      create={{
        title: text.newApp,
        fields: ['name', 'description', { name: 'kind', values: KINDS }, 'language', 'communicationFormat'],
        document: mutations.appCreate,
      }}
      panel={<AppPanel />}
    />
  );
}

const APP = fragment(`
  fragment AppRecord on App {
    id revision name kind language communicationFormat description createdAt updatedAt
    versions(first: 100, orderBy: { field: CREATED_AT, direction: DESC }) {
      nodes { id number size createdAt reach { granted current } }
    }
  }
`);

function AppPanel(): ReactNode {
  return (
    <RecordPanel
      fragment={APP}
      follows={['APP_VERSION']}
      edit={{ document: mutations.appUpdate, fields: ['name', { name: 'description', rows: 3 }] }}
      remove={mutations.appDelete}
      tabs={(app) => ({
        versions: <Versions app={app} />,
        facts: <Facts facts={factsOf(app, 'name', 'versions')} />,
      })}
    />
  );
}

/** Versions of an app. The program of a new one is uploaded here, and opened where it is released. */
function Versions({ app }: { readonly app: AppRecordFragment }): ReactNode {
  const text = useText();
  const navigate = useNavigate();
  const add = creating({
    title: `${app.name}: ${text.addVersion}`,
    draft: `version:${app.id}`,
    fields: ['number', 'posDisplayLabel', { name: 'displayable', initial: true }, 'bytecodeFile'],
    document: mutations.appVersionCreate,
    input: { appId: app.id },
    submit: text.addVersion,
    onDone: ({ appVersion }) =>
      appVersion && void navigate({ to: '/app-versions', search: { open: appVersion.id } }),
  });
  return (
    <>
      <div className="buttons">
        <DialogButton {...add} label={text.addVersion} variant="primary" />
      </div>
      <SmallTable
        rows={app.versions.nodes}
        columns={[
          { id: 'number', page: '/app-versions' },
          'size',
          'createdAt',
          { id: 'granted', align: 'end', render: ({ reach }) => reach.granted },
          { id: 'current', align: 'end', render: ({ reach }) => reach.current },
        ]}
        empty={text.noVersions}
      />
    </>
  );
}
