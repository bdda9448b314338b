import { lazy, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import type { AppKind, AppLanguage, CommunicationFormat } from '../../gql/graphql';
import { CreateDialog } from '../../record/create-dialog';
import { useListAddress } from '../../table/address';
import { ListPage } from '../../table/list-page';
import { optionsOf } from '../../text';
import { useText } from './words';

const AppPanel = lazy(() => import('./app-panel'));

const APPS = graphql(`
  query AppList($first: Int!, $after: String, $filter: AppFilter, $orderBy: AppOrder, $count: Boolean!) {
    apps(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes { id name kind language communicationFormat description updatedAt }
    }
  }
`);

const KINDS: readonly AppKind[] = ['STANDARD', 'MODULE'];
const LANGUAGES: readonly AppLanguage[] = ['RUBY', 'POSXML'];
const FORMATS: readonly CommunicationFormat[] = ['HTTP', 'ISO8583', 'ISO20022'];
/** Names of languages and protocols are the same in all languages. */
const named = <Value extends string>(values: readonly Value[]): { value: Value; label: string }[] =>
  values.map((value) => ({ value, label: value }));

export default function AppsPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="apps"
      label={text.apps}
      source={{ document: APPS, follows: ['APP'] }}
      rowName={({ name }) => name}
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
        { id: 'kind', title: text.kind, kind: 'choice', options: optionsOf(text, KINDS) },
        { id: 'language', title: text.language, kind: 'choice', options: named(LANGUAGES) },
      ]}
      create={{ label: text.newApp, dialog: (close) => <NewApp onClose={close} /> }}
      panel={(id, close) => <AppPanel id={id} onClose={close} />}
      empty={text.createFirst}
    />
  );
}

const CREATE = graphql(`
  mutation AppCreate($input: AppCreateInput!) {
    appCreate(input: $input) {
      app { id }
      userErrors { code message path rule params }
    }
  }
`);

const EMPTY = {
  name: '',
  description: '',
  kind: 'STANDARD' as AppKind,
  language: 'RUBY' as AppLanguage,
  communicationFormat: 'HTTP' as CommunicationFormat,
};

function NewApp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useText();
  const [, change] = useListAddress();
  return (
    <CreateDialog
      title={text.newApp}
      draft="app"
      empty={EMPTY}
      fields={[
        { name: 'name', label: text.name },
        { name: 'description', label: text.description, rows: 2 },
        { name: 'kind', label: text.kind, options: optionsOf(text, KINDS) },
        { name: 'language', label: text.language, options: named(LANGUAGES) },
        { name: 'communicationFormat', label: text.format, options: named(FORMATS) },
      ]}
      document={CREATE}
      changes={['APP']}
      variables={({ description, ...rest }) => ({ input: { ...rest, description: description || null } })}
      onCreated={({ app }) => change({ open: app?.id })}
      onClose={onClose}
    />
  );
}
