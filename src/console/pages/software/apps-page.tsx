import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMutation } from '../../api/mutation';
import { useMay } from '../../app/session';
import type { AppKind, AppLanguage, AppListQuery, CommunicationFormat } from '../../gql/graphql';
import { useListAddress } from '../../table/address';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Ago } from '../../ui/facts';
import { Choice, TextInput } from '../../ui/field';
import { errorAt, Form, useDraft } from '../../ui/form';
import { words as common } from '../../ui/words';
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

export const KINDS: readonly AppKind[] = ['STANDARD', 'MODULE'];
export const LANGUAGES: readonly AppLanguage[] = ['RUBY', 'POSXML'];
export const FORMATS: readonly CommunicationFormat[] = ['HTTP', 'ISO8583', 'ISO20022'];
export const named = <Value extends string>(values: readonly Value[]): { value: Value; label: string }[] =>
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

interface Draft {
  readonly name: string;
  readonly description: string;
  readonly kind: AppKind;
  readonly language: AppLanguage;
  readonly communicationFormat: CommunicationFormat;
}

const EMPTY: Draft = {
  name: '',
  description: '',
  kind: 'STANDARD',
  language: 'RUBY',
  communicationFormat: 'HTTP',
};

function NewApp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useTexts(words);
  const commonText = useTexts(common);
  const [, change] = useListAddress();
  const { values, set, clear } = useDraft('app', EMPTY);
  const create = useMutation(CREATE, ['APP']);
  const submit = async (): Promise<void> => {
    const payload = await create.run({ input: { ...values, description: values.description || null } });
    if (!payload?.app) return;
    clear();
    onClose();
    change({ open: payload.app.id });
  };
  return (
    <Dialog title={text.newApp} isOpen onClose={onClose}>
      <Form
        {...create}
        onSubmit={() => void submit()}
        onCancel={onClose}
        submit={commonText.create}
        shown={['input.name', 'input.description']}
      >
        <TextInput
          label={text.name}
          autoFocus
          value={values.name}
          onChange={(name) => set({ name })}
          error={errorAt(create.errors, 'input', 'name')}
        />
        <TextInput
          label={text.description}
          rows={2}
          value={values.description}
          onChange={(description) => set({ description })}
          error={errorAt(create.errors, 'input', 'description')}
        />
        <Choice
          label={text.kind}
          options={KINDS.map((value) => ({ value, label: text[value] }))}
          value={values.kind}
          onChange={(kind) => set({ kind })}
        />
        <Choice
          label={text.language}
          options={named(LANGUAGES)}
          value={values.language}
          onChange={(language) => set({ language })}
        />
        <Choice
          label={text.format}
          options={named(FORMATS)}
          value={values.communicationFormat}
          onChange={(communicationFormat) => set({ communicationFormat })}
        />
      </Form>
    </Dialog>
  );
}
