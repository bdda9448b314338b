import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { graphql, mutations } from '../../api';
import type { AppRecordFragment } from '../../gql/graphql';
import { creating, DialogButton } from '../../record/dialog-button';
import { RecordPanel } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { SmallTable } from '../../table/small-table';
import { optionsOf, type Option } from '../../text';
import { Time } from '../../ui/facts';
import { useText } from './words';

const ROW = graphql(`
  fragment AppRow on App {
    id name kind language communicationFormat description updatedAt
  }
`);

/** Names of languages and protocols are the same in all languages. */
const named = (...values: readonly string[]): readonly Option[] =>
  values.map((value) => ({ value, label: value }));
const LANGUAGES = named('RUBY', 'POSXML');
const FORMATS = named('HTTP', 'ISO8583', 'ISO20022');

export default function AppsPage(): ReactNode {
  const text = useText();
  const kinds = optionsOf(text, ['STANDARD', 'MODULE']);
  return (
    <ListPage
      id="apps"
      source={listOf(ROW)}
      columns={[
        { id: 'name', title: text.name, order: 'NAME', width: 200 },
        { id: 'kind', title: text.kind, width: 110, render: ({ kind }) => text[kind] },
        { id: 'language', title: text.language, width: 100 },
        { id: 'communicationFormat', title: text.format, width: 110 },
        { id: 'description', title: text.description, width: 220 },
        { id: 'updatedAt', title: text.updated, order: 'UPDATED_AT', width: 140, kind: 'ago' },
      ]}
      filters={[
        { id: 'name', title: text.name, kind: 'text' },
        { id: 'kind', title: text.kind, kind: 'choice', options: kinds },
        { id: 'language', title: text.language, kind: 'choice', options: LANGUAGES },
      ]}
      create={creating({
        title: text.newApp,
        draft: 'app',
        empty: { name: '', description: '', kind: 'STANDARD', language: 'RUBY', communicationFormat: 'HTTP' },
        fields: [
          { name: 'name', label: text.name },
          { name: 'description', label: text.description, rows: 2, isOptional: true },
          { name: 'kind', label: text.kind, options: kinds },
          { name: 'language', label: text.language, options: LANGUAGES },
          { name: 'communicationFormat', label: text.format, options: FORMATS },
        ],
        document: mutations.appCreate,
        opens: true,
      })}
      panel={<AppPanel />}
      empty={text.createFirst}
    />
  );
}

const APP = graphql(`
  fragment AppRecord on App {
    id revision name kind language communicationFormat description createdAt updatedAt
    versions(first: 100, orderBy: { field: CREATED_AT, direction: DESC }) {
      nodes { id number size createdAt reach { granted current } }
    }
  }
`);

function AppPanel(): ReactNode {
  const text = useText();
  return (
    <RecordPanel
      fragment={APP}
      follows={['APP_VERSION']}
      edit={{
        document: mutations.appUpdate,
        fields: [
          { name: 'name', label: text.name },
          { name: 'description', label: text.description, rows: 3, isOptional: true },
        ],
      }}
      remove={mutations.appDelete}
      tabs={(app) => [
        { id: 'versions', title: text.versions, content: <Versions app={app} /> },
        {
          facts: [
            { name: text.kind, value: text[app.kind] },
            { name: text.language, value: app.language },
            { name: text.format, value: app.communicationFormat },
            { name: text.description, value: app.description },
            { name: text.created, value: <Time at={app.createdAt} /> },
            { name: text.updated, value: <Time at={app.updatedAt} /> },
          ],
        },
      ]}
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
    empty: { number: '', posDisplayLabel: '', displayable: true, bytecodeFile: null },
    fields: [
      { name: 'number', label: text.number, help: text.numberHelp },
      { name: 'posDisplayLabel', label: text.label, isOptional: true },
      { name: 'displayable', label: text.displayable, isFlag: true },
      { name: 'bytecodeFile', label: text.bytecode, help: text.bytecodeHelp, isFile: true, isOptional: true },
    ],
    document: mutations.appVersionCreate,
    input: { appId: app.id },
    submit: text.addVersion,
    onCreated: ({ appVersion }) =>
      appVersion && void navigate({ to: '/app-versions', search: { open: appVersion.id } }),
  });
  return (
    <>
      <div className="buttons">
        <DialogButton {...add} label={text.addVersion} look="primary" />
      </div>
      <SmallTable
        rows={app.versions.nodes}
        columns={[
          { id: 'number', title: text.number, page: '/app-versions' },
          { id: 'size', title: text.size, kind: 'bytes' },
          { id: 'createdAt', title: text.created, kind: 'ago' },
          { id: 'granted', title: text.granted, align: 'end', render: ({ reach }) => reach.granted },
          { id: 'current', title: text.current, align: 'end', render: ({ reach }) => reach.current },
        ]}
        empty={text.noVersions}
      />
    </>
  );
}
