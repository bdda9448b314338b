import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMay } from '../../app/session';
import type { AppKind, AppLanguage, AppListQuery, CommunicationFormat } from '../../gql/graphql';
import { CreateDialog } from '../../record/fields';
import { useListAddress } from '../../table/address';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { Button } from '../../ui/button';
import { Ago } from '../../ui/facts';
import { AppPanel } from './app-panel';
import { words } from './words';

const APPS = graphql(`
  query AppList($first: Int!, $after: String, $filter: AppFilter, $orderBy: AppOrder, $count: Boolean!) {
    apps(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes { id name kind language communicationFormat description updatedAt }
    }
  }
`);

type Row = AppListQuery['apps']['nodes'][number];

const SOURCE = {
  document: APPS,
  connection: ({ apps }: AppListQuery) => apps,
  follows: ['APP'],
} as const;

const KINDS: readonly AppKind[] = ['STANDARD', 'MODULE'];
const LANGUAGES: readonly AppLanguage[] = ['RUBY', 'POSXML'];
const FORMATS: readonly CommunicationFormat[] = ['HTTP', 'ISO8583', 'ISO20022'];
const named = <Value extends string>(values: readonly Value[]): { value: Value; label: string }[] =>
  values.map((value) => ({ value, label: value }));

export default function AppsPage(): ReactNode {
  const text = useTexts(words);
  const mayWrite = useMay('WRITE');
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <ListPage<AppListQuery, Row>
        id="apps"
        label={text.apps}
        source={SOURCE}
        rowName={({ name }) => name}
        columns={[
          { id: 'name', title: text.name, order: 'NAME', width: 200, render: ({ name }) => name },
          { id: 'kind', title: text.kind, width: 110, render: ({ kind }) => text[kind] },
          { id: 'language', title: text.language, width: 100, render: ({ language }) => language },
          { id: 'format', title: text.format, width: 110, render: (row) => row.communicationFormat },
          { id: 'description', title: text.description, width: 220, render: (row) => row.description },
          {
            id: 'updatedAt',
            title: text.updated,
            order: 'UPDATED_AT',
            width: 140,
            render: (row) => <Ago at={row.updatedAt} />,
          },
        ]}
        filters={[
          { id: 'name', title: text.name, kind: 'text' },
          {
            id: 'kind',
            title: text.kind,
            kind: 'choice',
            options: KINDS.map((value) => ({ value, label: text[value] })),
          },
          { id: 'language', title: text.language, kind: 'choice', options: named(LANGUAGES) },
        ]}
        actions={
          mayWrite && (
            <Button icon="add" look="primary" onPress={() => setCreating(true)}>
              {text.newApp}
            </Button>
          )
        }
        panel={(id, close) => <AppPanel id={id} onClose={close} />}
        empty={text.createFirst}
      />
      {isCreating && <NewApp onClose={() => setCreating(false)} />}
    </>
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
  const text = useTexts(words);
  const [, change] = useListAddress();
  return (
    <CreateDialog
      title={text.newApp}
      draft="app"
      empty={EMPTY}
      fields={[
        { name: 'name', label: text.name },
        { name: 'description', label: text.description, rows: 2 },
        { name: 'kind', label: text.kind, options: KINDS.map((value) => ({ value, label: text[value] })) },
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
