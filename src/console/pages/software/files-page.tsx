import type { ReactNode } from 'react';

import { fragment, mutations } from '../../api';
import { RecordPanel } from '../../record/panel';
import { ListPage } from '../../table/list-page';
import { listOf } from '../../table/rows';
import { Facts, factsOf } from '../../table/shown';
import { useText } from './words';

const ROW = fragment(`fragment FileRow on File { id name fileType size description updatedAt }`);

const RECORD = fragment(`
  fragment FileRecord on File {
    id revision name fileType size crc sha256 description updatedAt
    appVersions(first: 100) {
      nodes { id number app { name } }
    }
  }
`);

export default function FilesPage(): ReactNode {
  const text = useText();
  return (
    <ListPage
      id="files"
      text={text}
      source={listOf(ROW)}
      columns={['name', 'fileType', 'size', 'description', 'updatedAt']}
      filters={['name', 'fileType']}
      create={{
        title: text.upload,
        fields: ['file', 'description', 'fileType'],
        document: mutations.fileCreate,
        submit: text.upload,
      }}
      panel={
        <RecordPanel
          fragment={RECORD}
          follows={['APP_VERSION']}
          edit={{
            document: mutations.fileUpdate,
            fields: [
              { name: 'description', rows: 3 },
              { name: 'file', label: text.newContent, help: text.newContentHelp, isOptional: true },
            ],
          }}
          remove={mutations.fileDelete}
          tabs={(file) => ({ facts: <Facts facts={factsOf(file, 'name')} /> })}
        />
      }
    />
  );
}
