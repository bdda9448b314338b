import type { ReactNode } from 'react';

import { graphql, mutations, useQuery } from '../../api';
import { creating } from '../../record/create-dialog';
import { RecordLinks } from '../../record/link';
import { RecordPanel, type OpenRecord } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { optionsOf } from '../../text';
import { useFormat } from '../../text/format';
import { Time } from '../../ui/facts';
import { useText } from './words';

const FILES = graphql(`
  query FileList($first: Int!, $after: String, $filter: FileFilter, $orderBy: FileOrder, $count: Boolean!) {
    files(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount @include(if: $count)
      pageInfo { hasNextPage endCursor }
      nodes { id name fileType size description updatedAt }
    }
  }
`);

export default function FilesPage(): ReactNode {
  const text = useText();
  const types = optionsOf(text, ['ASSET', 'TORRENT']);
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
        { id: 'fileType', title: text.fileType, kind: 'choice', options: types },
      ]}
      create={creating({
        title: text.upload,
        draft: 'file',
        empty: { file: null, description: '', fileType: 'ASSET' },
        fields: [
          { name: 'file', label: text.file, isFile: true },
          { name: 'description', label: text.description, rows: 2, isOptional: true },
          { name: 'fileType', label: text.fileType, options: types },
        ],
        document: mutations.fileCreate,
        changes: ['FILE'],
        submit: text.upload,
        opens: true,
      })}
      panel={(id, close) => <FilePanel id={id} onClose={close} />}
      empty={text.noFiles}
    />
  );
}

const FILE = graphql(`
  query FileRecord($id: ID!) {
    file(id: $id) {
      id
      revision
      name
      fileType
      size
      crc
      sha256
      description
      updatedAt
      appVersions(first: 100) {
        nodes {
          id
          number
          app { name }
        }
      }
    }
  }
`);

function FilePanel({ id, onClose }: OpenRecord): ReactNode {
  const text = useText();
  const format = useFormat();
  const query = useQuery(FILE, { id }, ['FILE', 'APP_VERSION']);
  return (
    <RecordPanel
      query={query}
      record={({ file }) => file}
      title={({ name }) => name}
      edit={{
        document: mutations.fileUpdate,
        changes: ['FILE', 'APP_VERSION'],
        fields: [
          { name: 'description', label: text.description, rows: 3, isOptional: true },
          { name: 'file', label: text.content, help: text.contentHelp, isFile: true, isOptional: true },
        ],
      }}
      remove={{ document: mutations.fileDelete, changes: 'FILE' }}
      history="FILE"
      onClose={onClose}
      tabs={(file) => [
        {
          facts: [
            { name: text.fileType, value: text[file.fileType] },
            { name: text.size, value: format.bytes(file.size) },
            { name: 'CRC', value: <code>{file.crc}</code> },
            { name: 'SHA-256', value: <code>{file.sha256}</code> },
            { name: text.description, value: file.description },
            { name: text.updated, value: <Time at={file.updatedAt} /> },
            {
              name: text.appVersions,
              value: <RecordLinks page="/app-versions" records={file.appVersions.nodes} />,
            },
          ],
        },
      ]}
    />
  );
}
