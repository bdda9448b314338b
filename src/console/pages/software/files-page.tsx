import { lazy, useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import type { FileType } from '../../gql/graphql';
import { CreateDialog } from '../../record/create-dialog';
import { useListAddress } from '../../table/address';
import { ListPage } from '../../table/list-page';
import { optionsOf } from '../../text';
import { errorAt } from '../../ui/form';
import { FileInput } from '../../ui/inputs';
import { useText } from './words';

const FilePanel = lazy(() => import('./file-panel'));

const FILES = graphql(`
  query FileList($first: Int!, $after: String, $filter: FileFilter, $orderBy: FileOrder, $count: Boolean!) {
    files(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes { id name fileType size description updatedAt }
    }
  }
`);

const TYPES: readonly FileType[] = ['ASSET', 'TORRENT'];

export default function FilesPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="files"
      label={text.files}
      source={{ document: FILES, follows: ['FILE'] }}
      rowName={({ name }) => name}
      columns={[
        { id: 'name', title: text.name, order: 'NAME', width: 240 },
        { id: 'fileType', title: text.fileType, width: 100, render: ({ fileType }) => text[fileType] },
        { id: 'size', title: text.size, width: 100, kind: 'bytes' },
        { id: 'description', title: text.description, width: 220 },
        { id: 'updatedAt', title: text.updated, order: 'UPDATED_AT', width: 140, kind: 'ago' },
      ]}
      filters={[
        { id: 'name', title: text.name, kind: 'text' },
        { id: 'fileType', title: text.fileType, kind: 'choice', options: optionsOf(text, TYPES) },
      ]}
      create={{ label: text.upload, dialog: (close) => <NewFile onClose={close} /> }}
      panel={(id, close) => <FilePanel id={id} onClose={close} />}
      empty={text.noFiles}
    />
  );
}

const CREATE = graphql(`
  mutation FileCreate($input: FileCreateInput!) {
    fileCreate(input: $input) {
      file { id }
      userErrors { code message path rule params }
    }
  }
`);

const EMPTY: { readonly description: string; readonly fileType: FileType } = {
  description: '',
  fileType: 'ASSET',
};

function NewFile({ onClose }: { readonly onClose: () => void }): ReactNode {
  const text = useText();
  const [, change] = useListAddress();
  const [file, setFile] = useState<File | null>(null);
  return (
    <CreateDialog
      title={text.upload}
      draft="file"
      empty={EMPTY}
      fields={[
        { name: 'description', label: text.description, rows: 2 },
        { name: 'fileType', label: text.fileType, options: optionsOf(text, TYPES) },
      ]}
      document={CREATE}
      changes={['FILE']}
      variables={({ description, fileType }) =>
        file && { input: { description: description || null, fileType, file: null } }
      }
      attachment={file && { path: 'input.file', file }}
      submit={text.upload}
      onCreated={(payload) => change({ open: payload.file?.id })}
      onClose={onClose}
    >
      {({ progress, errors }) => (
        <FileInput
          label={text.file}
          file={file}
          onChange={setFile}
          progress={progress}
          error={errorAt(errors, 'input', 'file')}
        />
      )}
    </CreateDialog>
  );
}
