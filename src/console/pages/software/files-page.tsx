import type { ReactNode } from 'react';

import { graphql, mutations } from '../../api';
import { creating } from '../../record/dialog-button';
import { RecordLinks } from '../../record/link';
import { RecordPanel } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { optionsOf } from '../../text';
import { useFormat } from '../../text/format';
import { Time } from '../../ui/facts';
import { useText } from './words';

const ROW = graphql(`fragment FileRow on File { id name fileType size description updatedAt }`);

export default function FilesPage(): ReactNode {
  const text = useText();
  const types = optionsOf(text, ['ASSET', 'TORRENT']);
  return (
    <ListPage
      id="files"
      source={listOf(ROW)}
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
        submit: text.upload,
        opens: true,
      })}
      panel={<FilePanel />}
      empty={text.noFiles}
    />
  );
}

const FILE = graphql(`
  fragment FileRecord on File {
    id revision name fileType size crc sha256 description updatedAt
    appVersions(first: 100) {
      nodes { id number app { name } }
    }
  }
`);

function FilePanel(): ReactNode {
  const text = useText();
  const format = useFormat();
  return (
    <RecordPanel
      fragment={FILE}
      follows={['APP_VERSION']}
      edit={{
        document: mutations.fileUpdate,
        fields: [
          { name: 'description', label: text.description, rows: 3, isOptional: true },
          { name: 'file', label: text.content, help: text.contentHelp, isFile: true, isOptional: true },
        ],
      }}
      remove={mutations.fileDelete}
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
