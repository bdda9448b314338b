import { useState, type ReactNode } from 'react';

import { graphql } from '../../api/graphql';
import { useMay } from '../../app/session';
import type { FileListQuery, FileType } from '../../gql/graphql';
import { CreateDialog } from '../../record/fields';
import { useListAddress } from '../../table/address';
import { ListPage } from '../../table/list-page';
import { useTexts } from '../../text';
import { useFormat } from '../../text/format';
import { Button } from '../../ui/button';
import { Ago } from '../../ui/facts';
import { FileInput } from '../../ui/file-input';
import { errorAt } from '../../ui/form';
import { FilePanel } from './file-panel';
import { words } from './words';

const FILES = graphql(`
  query FileList($first: Int!, $after: String, $filter: FileFilter, $orderBy: FileOrder, $count: Boolean!) {
    files(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes { id name fileType size description updatedAt }
    }
  }
`);

type Row = FileListQuery['files']['nodes'][number];

const SOURCE = {
  document: FILES,
  connection: ({ files }: FileListQuery) => files,
  follows: ['FILE'],
} as const;

const TYPES: readonly FileType[] = ['ASSET', 'TORRENT'];

export default function FilesPage(): ReactNode {
  const text = useTexts(words);
  const format = useFormat();
  const mayWrite = useMay('WRITE');
  const [isUploading, setUploading] = useState(false);
  const types = TYPES.map((value) => ({ value, label: text[value] }));
  return (
    <>
      <ListPage<FileListQuery, Row>
        id="files"
        label={text.files}
        source={SOURCE}
        rowName={({ name }) => name}
        columns={[
          { id: 'name', title: text.name, order: 'NAME', width: 240, render: ({ name }) => name },
          { id: 'fileType', title: text.fileType, width: 100, render: ({ fileType }) => text[fileType] },
          {
            id: 'size',
            title: text.size,
            width: 100,
            align: 'end',
            render: ({ size }) => format.bytes(size),
          },
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
          { id: 'fileType', title: text.fileType, kind: 'choice', options: types },
        ]}
        actions={
          mayWrite && (
            <Button icon="add" look="primary" onPress={() => setUploading(true)}>
              {text.upload}
            </Button>
          )
        }
        panel={(id, close) => <FilePanel id={id} onClose={close} />}
        empty={text.noFiles}
      />
      {isUploading && <NewFile onClose={() => setUploading(false)} />}
    </>
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
  const text = useTexts(words);
  const [, change] = useListAddress();
  const [file, setFile] = useState<File | null>(null);
  return (
    <CreateDialog
      title={text.upload}
      draft="file"
      empty={EMPTY}
      fields={[
        { name: 'description', label: text.description, rows: 2 },
        {
          name: 'fileType',
          label: text.fileType,
          options: TYPES.map((value) => ({ value, label: text[value] })),
        },
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
